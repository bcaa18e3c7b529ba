"""A login before all screens, where whoever runs the server asks for one: `sdsc app --login`."""

import os

import streamlit as st

from sdsc_core.cli.paths import LOGIN_VARIABLE


def require_login() -> None:
    """Let nobody pass who has not logged in by Streamlit's own OpenID support.

    Without a provider, `[auth]` in .streamlit/secrets.toml, nobody passes at all.
    """
    if not os.environ.get(LOGIN_VARIABLE) or st.user.get("is_logged_in", False):
        return
    st.title("SDSC Explorer", anchor=False)
    st.button("Log in", on_click=st.login, type="primary")
    st.stop()
