"""Data sets whose name says all: an address, a command and a script bring the same data."""

from pathlib import Path

from sdsc_core.checks import check_kind
from sdsc_core.datasets.by_name.made import PREFIX as MADE
from sdsc_core.datasets.by_name.made import MadeSubspaces
from sdsc_core.datasets.by_name.motions import PREFIX as HOPKINS
from sdsc_core.datasets.by_name.motions import MotionSequence, missing_sequences, sequences
from sdsc_core.datasets.dataset import Dataset

__all__ = [
    "MadeSubspaces", "MotionSequence", "load_named", "missing_sequences", "named", "read_named",
    "sequences", "spelled",
]  # fmt: skip
_KINDS: dict[str, type[MadeSubspaces] | type[MotionSequence]] = {
    MADE: MadeSubspaces,
    HOPKINS: MotionSequence,
}


def spelled(name: str) -> bool:
    """Whether a name is meant to say all, rightly spelled or not.

    >>> spelled("made:6-6"), spelled("faces.csv")
    (True, False)
    """
    return check_kind(name, str, "name", "a text").startswith(tuple(_KINDS))


def read_named(name: str) -> MadeSubspaces | MotionSequence:
    """What a name spells, or ValueError with the form that it should have.

    >>> read_named("made:06-6-10-50-0.0-0").name
    'made:6-6-10-50-0-0'
    """
    if spelled(name):
        return next(kind for prefix, kind in _KINDS.items() if name.startswith(prefix)).read(name)
    raise ValueError(f"The data is {name!r}; give a name that begins with {' or '.join(_KINDS)}.")


def named(name: str) -> MadeSubspaces | MotionSequence | None:
    """What a name spells, None where it spells nothing.

    >>> named("faces.csv") is None, named("hopkins:cars2").title
    (True, 'cars2 of Hopkins155')
    """
    try:
        return read_named(name)
    except ValueError:
        return None


def load_named(name: str, folder: str | Path | None = None) -> Dataset:
    """The data that a name spells; sequences lie in ``folder``, or that of SDSC_DATA.

    >>> load_named("made:3-2-5-4-0-0").X.shape
    (12, 5)
    """
    return read_named(name).load(folder)
