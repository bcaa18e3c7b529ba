"""What is compiled before the first visitor comes is all that the screens call."""

import json
import subprocess
import sys
from contextlib import suppress
from threading import Event

import pytest

from sdsc_core.cli.warm import FIRST_RESULT, warm_up
from sdsc_core.dense import DENSE
from tests.conftest import ROOT, without_browser
from tests.load import SCREENS

FOLDERS = {"": "explore", "densification": "inspect"}


def known():
    """Every kernel with the types that it is ready for."""
    from numba.core.registry import CPUDispatcher

    modules = [m for name, m in list(sys.modules.items()) if name.startswith("sdsc_core")]
    found = {d for m in modules for d in vars(m).values() if isinstance(d, CPUDispatcher)}
    return {f"{d.py_func.__module__}.{d.__name__}{types}" for d in found for types in d.signatures}


def look_around():
    """Open every screen, and every dense stage on the first; problems that were shown."""
    with pytest.MonkeyPatch.context() as patch:
        app = without_browser(patch)
        shown = []
        for screen in SCREENS:
            app.switch_page(f"pages/{FOLDERS.get(screen, screen)}/page.py").run()
            shown += [e.message for e in app.exception]
        app.switch_page("pages/explore/page.py").run()
        for stage in DENSE:
            app.session_state["dense"] = stage
            app.run()
            shown += [e.message for e in app.exception]
        return shown


def first_picture():
    """Open the first screen while the kernels of others are still to come; problems shown."""
    seen = Event()

    def rest(progress):
        progress(FIRST_RESULT, FIRST_RESULT + 1)
        assert seen.wait(60), "the first picture waited for all kernels"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pages.shared.warm.warm_up", rest)
        app = without_browser(patch).run()
        seen.set()
        return [e.message for e in app.exception]


def stop_early(done, total):
    """No more of `warm_up` than the first picture waits for."""
    if done == FIRST_RESULT:
        raise StopIteration


def told_by(moment):
    """In a process of its own, since the other tests make kernels ready here."""
    said = subprocess.run(
        [sys.executable, "-m", "tests.test_warm", moment], cwd=ROOT, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr[-2000:]
    return json.loads(said.stdout.splitlines()[-1])


@pytest.mark.parametrize("moment", ["first", "all"])
def test_no_visitor_waits_for_a_kernel(moment):
    """A thread that wants one waits until the whole list is done: Numba's lock is not fair."""
    told = told_by(moment)
    assert told["ready"] > 20 and not told["shown"]
    assert told["later"] == []


if __name__ == "__main__":
    first = sys.argv[1] == "first"
    with suppress(StopIteration):
        warm_up(stop_early if first else None)
    before = known()
    problems = first_picture() if first else look_around()
    later = sorted(known() - before)
    print(json.dumps({"ready": len(before), "later": later, "shown": problems}))
