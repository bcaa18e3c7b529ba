"""How many clusters the graphs of other methods suggest, where no classes are known."""

from collections import Counter
from functools import partial

from sdsc_core.blocks import Progress, tick
from sdsc_core.compare.cells import fits
from sdsc_core.datasets import Dataset
from sdsc_core.run import suggested_n_clusters
from sdsc_core.settings import RunSettings

OTHERS = ("KNN", "LSR", "SSC")
MOST_POINTS = 1500  # up to which asking them takes a moment


def other_suggestions(data: Dataset, progress: Progress | None = None) -> dict[str, int]:
    """The number of clusters by the eigengap of each of `OTHERS`, beside that of IMC.

    IMC's graph falls apart where there is noise, and its gap then says little; a number on which
    several graphs agree is worth more. Nothing for more than `MOST_POINTS` points.

    >>> from sdsc_core.datasets import make_subspaces
    >>> other_suggestions(make_subspaces(3, 3, 30, 30, noise=0.05))
    {'KNN': 3, 'LSR': 3, 'SSC': 3}
    """
    found: dict[str, int] = {}
    for done, name in enumerate(OTHERS if data.n_points <= MOST_POINTS else ()):
        tick(progress, done, len(OTHERS))
        if fits(data, name):
            continue
        settings = RunSettings.of_method(name, {}, dense=None)
        try:
            found[name] = suggested_n_clusters(
                data, settings, progress and partial(_as_step, progress, done)
            )
        except ValueError:
            continue  # it cannot work with this data, and so has nothing to say of it
    return found


def _as_step(progress: Progress, done: int, _step: int, _steps: int) -> None:
    """The steps within a method do not move the bar, but heed a stop."""
    progress(done, len(OTHERS))


def disagreement(suggested: int, others: dict[str, int]) -> str:
    """What others suggest beside IMC's ``suggested``, and what to make of it.

    >>> disagreement(15, {"KNN": 4, "SSC": 4})
    "KNN's suggests 4, SSC's 4. Most often it is 4; set the number that you know or expect."
    >>> disagreement(4, {"KNN": 4}), disagreement(4, {})
    ("KNN's suggests 4.", '')
    """
    if not others:
        return ""
    (first, number), *rest = others.items()
    words = ", ".join([f"{first}'s suggests {number}", *(f"{name}'s {n}" for name, n in rest)])
    (most, times), *less = Counter([suggested, *others.values()]).most_common()
    if not less:
        return f"{words}."
    clear = times > less[0][1]
    judged = f"Most often it is {most}" if clear else "They do not agree"
    return f"{words}. {judged}; set the number that you know or expect."
