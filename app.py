"""SDSC Explorer: page configuration and navigation, nothing else."""

from pathlib import Path

import streamlit as st

from pages.components.one_step import one_step
from pages.exercise import asking
from pages.keep import about
from pages.server import sessions
from pages.shared import background, projector, settings
from pages.shared.login import offer_logout, require_login

PAGES = Path(__file__).with_name("pages")
# Folder, address, title and icon. Addresses stay as they are: people keep them.
SCREENS = [
    ("explore", "", "Explore", ":material/grid_on:"),
    ("data", "data", "Data", ":material/upload_file:"),
    ("sweep", "sweep", "Sweep", ":material/tune:"),
    ("compare", "compare", "Compare", ":material/leaderboard:"),
    ("inspect", "densification", "Inspect", ":material/search:"),
    ("step", "step", "Step through", ":material/footprint:"),
    ("subspaces", "subspaces", "Subspaces", ":material/stacks:"),
    ("paper", "paper", "Paper", ":material/article:"),
    ("words", "words", "Words", ":material/menu_book:"),
    ("tour", "tour", "Tour", ":material/signpost:"),
]

# What speaks of classes, or sets what may be locked, has no place in an exercise.
IN_EXERCISE = ("Explore", "Inspect", "Step through", "Subspaces", "Words")

# A file of our own: for an emoji or a material icon the browser would ask a host on the internet.
st.set_page_config(
    page_title="SDSC Explorer",
    page_icon=str(PAGES / "icon.svg"),
    layout="wide",
    initial_sidebar_state=projector.sidebar(),
    menu_items=about.menu(),
)
st.html(PAGES / "shared" / "style.css")
require_login()
try:
    address = settings.begin()
except ValueError as problem:
    st.error(str(problem), icon=":material/school:")
    st.stop()
sessions.begin()
screens = [
    st.Page(f"pages/{folder}/page.py", title=title, icon=icon, url_path=path, default=not path)
    for folder, path, title, icon in SCREENS
    if title in IN_EXERCISE or not settings.in_exercise()
]
screen = st.navigation(screens, position="hidden")
# Links of our own: they carry the settings, so that a change of screen is one step of Back.
with st.sidebar.container(key="screens", gap="xsmall"):
    for other in screens:
        st.page_link(other, width="stretch", query_params=address)
one_step()
projector.switch()
offer_logout()
asking.ask()
if screen.title not in background.WATCHING:
    background.show_elsewhere()
with sessions.faults_noted():
    screen.run()
