"""SDSC Explorer: page configuration and navigation, nothing else."""

from pathlib import Path

import streamlit as st

from pages.shared import settings

CSS = """
.stMainBlockContainer { padding-top: 3rem; padding-bottom: 3rem; }
/* all choices of a control in one line of the sidebar */
:is(.st-key-dense, .st-key-clusters) [data-testid=stButtonGroup] button { padding-inline: 0.6rem; }
/* progress lies over the page, so that nothing moves when it comes and goes */
:has(> .st-key-progress) { position: absolute; width: 0; }
.st-key-progress { position: fixed; top: 4rem; right: 1.5rem; width: min(20rem, 90vw);
  z-index: 99; }
.st-key-progress:has([data-testid=stProgress], [data-testid=stSpinner]) {
  padding: 0.8rem 1rem; background: Canvas; border: 1px solid #8886; border-radius: 0.5rem;
  box-shadow: 0 4px 16px #0004; }
/* large figures that keep all their words */
.st-key-figures [data-testid=stMetricValue] { font-size: clamp(1.4rem, 2.2vw, 2.25rem); }
.st-key-figures [data-testid=stMetricLabel] *, .st-key-figures [data-testid=stMetricDelta] * {
  white-space: normal; }
.st-key-chosen { min-height: 3.2rem; }
.st-key-lower .stHtml { overflow-x: auto; }
.st-key-lower .sdsc :is(th, td) { padding-inline: 3px; }
@media (max-width: 1350px) { .stMainBlockContainer { padding-inline: 2rem; } }
@media (max-width: 1200px) {
  .st-key-lower > * > [data-testid=stHorizontalBlock] { flex-wrap: wrap; }
  .st-key-lower > * > * > [data-testid=stColumn] { min-width: 100%; }
  .st-key-figures [data-testid=stMetricLabel] { min-height: 2.6rem; align-items: end; } }
"""

# Folder, address, title and icon. Addresses stay as they are: people keep them.
SCREENS = [
    ("explore", "", "Explore", ":material/grid_on:"),
    ("data", "data", "Data", ":material/upload_file:"),
    ("compare", "compare", "Compare", ":material/leaderboard:"),
    ("inspect", "densification", "Inspect", ":material/search:"),
    ("step", "step", "Step through", ":material/footprint:"),
    ("words", "words", "Words", ":material/menu_book:"),
    ("tour", "tour", "Tour", ":material/signpost:"),
]

# A file of our own: for an emoji or a material icon the browser would ask a host on the internet.
own_icon = Path(__file__).with_name("pages") / "icon.svg"
st.set_page_config(page_title="SDSC Explorer", page_icon=str(own_icon), layout="wide")
st.html(f"<style>{CSS}</style>")
settings.begin()
screens = [
    st.Page(f"pages/{folder}/page.py", title=title, icon=icon, url_path=path, default=not path)
    for folder, path, title, icon in SCREENS
]
if settings.in_exercise():  # these speak of classes, or set what may be locked
    screens = [s for s in screens if s.title not in ("Data", "Compare", "Tour")]
screen = st.navigation(screens, position="hidden")
# Links of our own: they carry the settings, so that a change of screen is one step of Back.
with st.sidebar.container(key="screens", gap=None):
    for other in screens:
        st.page_link(other, width="stretch", query_params=settings.address())
screen.run()
