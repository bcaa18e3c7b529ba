"""Data sets to start with: each shows one thing, and each is made in a moment."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.faces import make_faces
from sdsc_core.datasets.generators import digits, make_motion, make_subspaces
from sdsc_core.datasets.prepare import prepare


@dataclass(frozen=True)
class Sample:
    """A title and a sentence for the screen, and what makes the data."""

    title: str
    sentence: str
    factory: Callable[[], Dataset]


SAMPLES: dict[str, Sample] = {
    "faces": Sample(
        "Shaded faces",
        "Six made-up faces under 64 lights each: the paper's face clustering without photographs.",
        make_faces,
    ),
    "subspaces": Sample(
        "Clean subspaces",
        "Six subspaces of dimension 6 in 10 dimensions, as in the paper's synthetic data.",
        lambda: make_subspaces(points_each=100),
    ),
    "digits": Sample(
        "Five digits",
        "Eighty handwritten zeros, ones, twos, threes and fours each, from scikit-learn.",
        lambda: prepare(digits(), classes=range(5), per_class=80),
    ),
    "digits10": Sample(
        "Ten digits",
        "Fifty of each handwritten digit, where ones, eights and nines are easily confused.",
        lambda: prepare(digits(), per_class=50),
    ),
    "motion": Sample(
        "Rigid motions",
        "Tracks of points on three moving bodies, a subspace of dimension 4 each.",
        lambda: make_motion(noise=1.0),
    ),
    "noise": Sample(
        "Noisy subspaces",
        "Five subspaces under noise of a third of the signal: some links go astray.",
        lambda: make_subspaces(5, 4, 30, points_each=60, noise=0.35),
    ),
    "overlap": Sample(
        "Overlapping subspaces",
        "Five subspaces that share three of their four directions: here the method starts to fail.",
        lambda: make_subspaces(5, 4, 20, points_each=60, overlap=3),
    ),
    "unequal": Sample(
        "Unequal classes",
        "Four subspaces with 200, 100, 50 and 25 points and a little noise.",
        lambda: make_subspaces(4, 4, 20, points_each=(200, 100, 50, 25), noise=0.05),
    ),
}


@lru_cache(maxsize=len(SAMPLES))
def sample(name: str) -> Dataset:
    """One of `SAMPLES` by its name; made once, then kept.

    >>> sample("faces").X.shape
    (384, 2016)
    """
    if name not in SAMPLES:
        raise ValueError(f"name is {name!r}; choose one of {', '.join(map(repr, SAMPLES))}.")
    return replace(SAMPLES[name].factory(), name=SAMPLES[name].title)
