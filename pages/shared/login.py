"""A login before all screens, where whoever runs the server asks for one: `sdsc app --login`."""

import os

import streamlit as st

from pages.shared.streamlit_inside import LOGIN_FAILED
from sdsc_core.cli.paths import LOGIN_VARIABLE


def require_login() -> None:
    """Let nobody pass who has not logged in by Streamlit's own OpenID support.

    Without a provider, `[auth]` in .streamlit/secrets.toml, nobody passes at all.
    """
    if not os.environ.get(LOGIN_VARIABLE) or st.user.get("is_logged_in", False):
        return
    st.title("SDSC Explorer", anchor=False)
    if not (st.secrets.load_if_toml_exists() and "auth" in st.secrets):
        st.error("Nobody can log in: no provider is named in `secrets.toml` of this server.")
        st.stop()
    name, value = LOGIN_FAILED
    if st.query_params.get(name) == value:
        st.warning("You were not logged in: the provider refused, or its answer could not be used.")
    st.button("Log in", on_click=st.login, type="primary")
    st.stop()


def offer_logout() -> None:
    """A button in the sidebar for whoever logged in."""
    if os.environ.get(LOGIN_VARIABLE):
        st.sidebar.button("Log out", on_click=st.logout, width="stretch", icon=":material/logout:")
