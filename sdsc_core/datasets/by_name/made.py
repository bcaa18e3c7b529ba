"""Subspaces that a name spells out, as in ``made:6-6-10-500-0-0``: an address can hold them."""

import re
from dataclasses import astuple, dataclass, replace
from pathlib import Path

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_count
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.generators import make_subspaces
from sdsc_core.datasets.limits import OWN, Limits
from sdsc_core.memory import check_memory

PREFIX = "made:"
FORM = "made:SUBSPACES-DIMENSION-AMBIENT-POINTS-NOISE-SEED, as in made:6-6-10-500-0-0"
NUMBERS = re.compile(r"(\d{1,9})-(\d{1,9})-(\d{1,9})-(\d{1,9})-(\d{1,3}(?:\.\d{1,6})?)-(\d{1,10})")
MOST_SEED, MOST_NOISE = 2**31 - 1, 999.0
MOST_WORK = 2 * 10**10  # multiplications: a few seconds, so that no address keeps a server busy
COPIES = 4  # of the values, at the largest moment


@dataclass(frozen=True)
class MadeSubspaces:
    """The numbers of `make_subspaces`, with as many points on each subspace.

    >>> made = MadeSubspaces(points_each=500)
    >>> made.name, made.title
    ('made:6-6-10-500-0-0', '6 subspaces of dimension 6 in 10, 3,000 points')
    >>> MadeSubspaces.read("made:2-1-3-4-0.50-7").load().X.shape
    (8, 3)
    """

    n_subspaces: int = 6
    dim: int = 6
    ambient: int = 10
    points_each: int = 50
    noise: float = 0.0  # to six places
    seed: int = 0

    everywhere = True  # no file is needed

    def __post_init__(self) -> None:
        check_count(self.n_subspaces, "The number of subspaces", 1)
        check_count(self.ambient, "The dimension of the space", 2)
        check_count(
            self.dim, "The dimension of the subspaces", 1, self.ambient, ", that of the space"
        )
        check_count(self.points_each, "The number of points on each", 1)
        check_count(self.seed, "The seed", 0, MOST_SEED)
        number = isinstance(self.noise, int | float) and not isinstance(self.noise, bool)
        if not number or not 0 <= self.noise <= MOST_NOISE:
            raise ValueError(f"The noise is {self.noise!r}; give a number from 0 to {MOST_NOISE}.")
        if self.n_points < 2:
            raise ValueError("One point cannot be clustered; give at least 2 points.")
        object.__setattr__(self, "noise", round(float(self.noise), 6))

    @classmethod
    def read(cls, name: str) -> "MadeSubspaces":
        """The numbers of a name, or ValueError with the form that it should have."""
        found = NUMBERS.fullmatch(name.removeprefix(PREFIX))
        if not name.startswith(PREFIX) or not found:
            raise ValueError(f"The data is {name!r}; give {FORM}.")
        n, dim, ambient, each, noise, seed = found.groups()
        return cls(int(n), int(dim), int(ambient), int(each), float(noise), int(seed))

    @property
    def name(self) -> str:
        """The one way to spell it."""
        noise = f"{self.noise:.6f}".rstrip("0").rstrip(".")
        return f"{PREFIX}{'-'.join(map(str, astuple(self)[:4]))}-{noise}-{self.seed}"

    @property
    def title(self) -> str:
        """For people: all that tells it from others."""
        some = f"{self.n_subspaces:,} subspaces" if self.n_subspaces > 1 else "1 subspace"
        noise = f", noise {self.noise:g}" if self.noise else ""
        seed = f", seed {self.seed}" if self.seed else ""
        return (
            f"{some} of dimension {self.dim:,} in {self.ambient:,}, {self.n_points:,} points"
            f"{noise}{seed}"
        )

    @property
    def n_points(self) -> int:
        return self.n_subspaces * self.points_each

    @property
    def script(self) -> str:
        """How a script makes the same data."""
        numbers = ", ".join(map(repr, astuple(self)[:4]))
        return f"datasets.make_subspaces({numbers}, noise={self.noise}, random_state={self.seed})"

    def missing(self, folder: str | Path | None = None) -> str:
        """Nothing has to be got for it."""
        return ""

    def check(self, limits: Limits = OWN) -> "MadeSubspaces":
        """The same, or ValueError with one sentence where it is more than may be made.

        >>> MadeSubspaces(6, 6, 10, 10**6).check(Limits()).n_points
        Traceback (most recent call last):
        ValueError: 6,000,000 points in 10 dimensions have 60,000,000 values, and at most 30,000,000
        are made here; give fewer points or dimensions.
        """
        values = self.n_points * self.ambient
        if values > limits.values:
            raise ValueError(
                f"{self.n_points:,} points in {self.ambient:,} dimensions have {values:,} values,"
                f" and at most {limits.values:,} are made here; give fewer points or dimensions."
            )
        if self.n_subspaces > limits.classes:
            raise ValueError(
                f"{self.n_subspaces:,} subspaces are as many classes, and at most"
                f" {limits.classes:,} are made here; give fewer."
            )
        drawn = self.n_subspaces * self.ambient * self.dim * (self.dim + self.points_each)
        if drawn > MOST_WORK:
            raise ValueError(
                f"Subspaces of dimension {self.dim:,} in {self.ambient:,} would take long to make;"
                " give smaller dimensions, or fewer points."
            )
        return self

    def load(
        self,
        folder: str | Path | None = None,
        limits: Limits = OWN,
        progress: Progress | None = None,
    ) -> Dataset:
        """The data, points (N, ambient), made anew; ``folder`` is for those that lie in one."""
        self.check(limits)
        check_memory(
            8 * COPIES * self.ambient * (self.n_points + self.dim), "Making the points", None,
            instead="give fewer points or dimensions",
        )  # fmt: skip
        tick(progress, 0, 1)
        data = make_subspaces(*astuple(self))  # its arguments are in the same order
        tick(progress, 1, 1)
        return replace(data, name=self.title)
