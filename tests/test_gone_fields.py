"""Fields that have left the page: the browser tells what they showed, which changes nothing."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.browser import Server
from tests.visitor import Visitor, play


@pytest.fixture(scope="module")
def served():
    with Server() as running:
        yield running


@pytest.mark.parametrize(
    ("view", "other", "fields"),
    [("point", "One pair", ["step point"]), ("pair", "Whole stage", ["pair i", "pair j"])],
)
def test_a_view_that_is_left_chooses_no_other_point(served, view, other, fields):
    """As a browser does until it hears of the end of a run without them, which clocks forestall."""

    async def story():
        async with Visitor(served.url) as tab:
            chosen = "point=17&pair=275.312" if view == "point" else "point=17"
            await tab.open(f"{chosen}&step={view}&gamma=6", "step")
            for field in fields:
                name, _, element = tab.widgets[field]
                told = element.value if element.set_value else element.default
                tab.states[name] = WidgetState(id=name, double_value=told)
            for title in (other, "Whole stage"):  # by now the server has forgotten the fields
                await tab.move("step", title)
            await tab.move("gamma", 5)
            assert not tab.problems
            return set(tab.query.split("&"))

    pair = {"pair=275.312"} if view == "point" else set()
    assert play(story()) == {"point=17", "step=stage", "gamma=5"} | pair
