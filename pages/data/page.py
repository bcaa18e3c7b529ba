"""Data: load a file or a known set, look at it, prepare it."""

import streamlit as st

from pages.shared.opening import opening
from pages.shared.settings import go_to, locked

with opening(
    "Data",
    "**Choose** data, **look** at it, **prepare** it: what you see at the bottom is what all other"
    " screens work with. What you load is yours alone and stays while you move between screens.",
    overlay=True,
) as spot:
    from pages.data import preparing, preview, reading, sources
    from pages.shared import loading, sidebar
    from pages.shared.run import current_data, source
    from pages.shared.text import escape_markdown
state = st.session_state

loading.restore(state.data)
st.subheader("1 · Choose", anchor=False)
if locked("data") and loading.present(state.data):
    st.info("This exercise has its data set already.", icon=":material/lock:")
else:
    sources.show()
    reading.panel()
sidebar.choose_data()
name = escape_markdown(loading.title(state.data))
if "removed" in state:
    left, right = st.columns([4, 1], vertical_alignment="center")
    gone = escape_markdown(loading.title(state.removed[0]))
    left.info(f"“{gone}” was removed.", icon=":material/delete:")
    right.button("Undo", on_click=loading.undo, width="stretch")
waiting = loading.pending()
if waiting:
    waiting = f"{escape_markdown(waiting)} is not in use yet, see *How it is read* above"
if not loading.present(state.data):
    st.info(
        escape_markdown(loading.unrestored(state.data))
        or (waiting and f"{waiting}.")
        or f"The address of this page speaks of “{name}”. Load it above, and all settings of the"
        " address apply to it, but how a table's columns are read is chosen anew; or choose other"
        " data.",
        icon=":material/link:",
    )
    st.stop()

raw = source(state.data)
data = current_data(spot)
st.subheader("2 · Look", anchor=False)
preview.show(data if state.hide else raw)
if state.data in loading.sets():
    st.button(
        f"Remove “{name}”", on_click=loading.remove, args=(state.data,), icon=":material/delete:",
        disabled=locked("data"), help="Let go of this data set; it can be undone.",
    )  # fmt: skip

st.subheader("3 · Prepare", anchor=False)
left, right = st.columns([5, 6], gap="large")
with left:
    preparing.controls(raw)
with right:
    preparing.effect(raw, data)
if waiting:
    st.caption(f"{waiting}: these open “{name}”.")
row = st.container(horizontal=True)
if row.button("Explore this data", type="primary", icon=":material/arrow_forward:"):
    go_to("pages/explore/page.py")
if row.button(
    "Ask what helps on it", icon=":material/help:",
    help="On Compare: methods, settings and stages are tried within a time that you choose, and it"
    " is said in sentences which to take, how sure that is, and what to doubt.",
):  # fmt: skip
    go_to("pages/compare/page.py")
