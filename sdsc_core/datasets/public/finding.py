"""Which of the paper's data sets a folder holds, in whichever of the usual forms."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sdsc_core.blocks import Progress
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.public import digits, faces
from sdsc_core.datasets.public.content import Piece, pieces


class Source(NamedTuple):
    """Where a data set lies, and how it is read."""

    path: Path
    read: Callable[[Progress | None], Dataset]


def find(name: str, folder: Path) -> Source | None:
    """One of the known sets in a folder, by content; None where it is not there.

    Extended Yale B: folders of .pgm pictures of 192×168 pixels, or arrays of its size; USPS: arrays
    of 9298×256 in .mat or .npz, groups in .h5, lines of libsvm; MNIST: idx files or arrays of its
    test part; both: ARFF tables of OpenML; its scattering features: an array of 10000×500.

    >>> find("usps", Path("/nowhere")) is None
    True
    """
    if not folder.is_dir():
        return None
    if name == "yaleb" and (people := faces.people(folder)):
        return Source(people[0][0].parent.parent, lambda tell: faces.read_people(people, tell))
    found = pieces(folder)
    readers: dict[str, Callable[[list[Piece]], tuple[Path, Callable[[], Dataset]] | None]] = {
        "yaleb": faces.from_arrays,
        "usps": digits.usps,
        "mnist": digits.mnist,
        "mnist_scattering": digits.scattering_features,
    }
    here = readers[name](found)
    return None if here is None else Source(here[0], lambda tell: here[1]())
