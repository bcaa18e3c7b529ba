"""The research data sets of the paper, from a folder of one's own or from OpenML.

In a folder they are known by our own file names, or by their content in the forms in which the
public has them, see `sdsc_core.datasets.public`.
"""

import os
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.prepare import prepare
from sdsc_core.datasets.public import find
from sdsc_core.datasets.readers import load
from sdsc_core.datasets.wavelets import scattering_vectors

FOLDER_VARIABLE = "SDSC_DATA"
PATIENCE = 120.0  # seconds without a byte from OpenML until it counts as out of reach
DEADLINE = 1800.0  # seconds for all of a download, however slowly it goes on


@dataclass(frozen=True)
class Known:
    """A known data set: what it is, its file, and where OpenML has it, its number there.

    ``get`` says what else is recognised by its content, and from where people have it;
    ``download`` is about how many kilobytes OpenML sends.
    """

    title: str
    sentence: str
    file: str
    kind: str
    get: str
    openml: int | None = None
    download: int = 0


KNOWN: dict[str, Known] = {
    "yaleb": Known(
        "Extended Yale B",
        "2414 faces of 38 people under 64 lights, 48×42 pixels.",
        "yaleb_48x42.npz",
        "faces",
        "CroppedYale.zip of the Extended Yale Face Database B, unpacked (38 folders of .pgm), or a"
        " .mat file of it, such as YaleBCrop025.mat, which comes with the code of SSC",
    ),
    "usps": Known(
        "USPS",
        "9298 handwritten digits of 16×16 pixels.",
        "usps.npz",
        "digits",
        "usps.bz2 and usps.t.bz2 of the LIBSVM data sets, usps.h5, or a .mat file of it, such as"
        " USPS.mat or usps_resampled.mat, or data set 41082 of OpenML as an .arff file",
        openml=41082,
        download=3_000,
    ),
    "mnist": Known(
        "MNIST",
        "The 10000 handwritten digits of the test part, 28×28 pixels.",
        "mnist_t10k.npz",
        "digits",
        "t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte of the MNIST database (packed as .gz or"
        " not), mnist.npz as Keras has it, or data set 554 of OpenML as an .arff file",
        openml=554,
        download=15_000,
    ),
    "mnist_scattering": Known(
        "MNIST, scattering features",
        "The same 10000 digits as 500 principal components of their scattering features.",
        "mnist_t10k_scattering_pca500.npz",
        "digits",
        "MNIST's own files, t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte of the MNIST database"
        " or mnist.npz as Keras has it; the features are computed from them",
    ),
}
COMPONENTS = 500  # of the scattering features, as in the paper


def known_file(name: str, folder: str | Path | None = None) -> Path | None:
    """Where one of `KNOWN` lies in ``folder`` or the folder of SDSC_DATA, or None.

    By our own file name, else by content, in the forms in which it is distributed; of the
    scattering features it may be the digits, from which they are computed.

    >>> known_file("usps", "/nowhere") is None
    True
    """
    check_choice(name, "name", tuple(KNOWN))
    place = _folder(folder)
    if place is None:
        return None
    own = place / KNOWN[name].file
    if own.is_file():
        return own
    found = find(name, place)
    if found is not None:
        return found.path
    return known_file("mnist", place) if name == "mnist_scattering" else None


def _folder(folder: str | Path | None) -> Path | None:
    folder = folder or os.environ.get(FOLDER_VARIABLE)
    return Path(folder) if folder else None


def load_known(
    name: str, folder: str | Path | None = None, progress: Progress | None = None
) -> Dataset:
    """One of `KNOWN`, from ``folder`` or the folder that SDSC_DATA names, else from OpenML.

    USPS comes with values from -1 to 1, its background being -1; it is mapped to 0..1 here, as
    correlation and subspaces through the origin need a background of 0. The paper's "500 dimension
    vectors" of MNIST are read as scattering features reduced by PCA; where they are not in the
    folder, they are computed from the digits, by `scattering_vectors` as the literature lays them
    out. ``progress`` counts what is done: of a download the kilobytes against about how many there
    are.

    >>> list(KNOWN)
    ['yaleb', 'usps', 'mnist', 'mnist_scattering']
    """
    check_choice(name, "name", tuple(KNOWN))
    known, place = KNOWN[name], _folder(folder)
    tick(progress, 0, 1)
    if place is not None and (place / known.file).is_file():
        data = _usual_range(name, load(place / known.file))
    elif place is not None and (source := find(name, place)) is not None:
        data = source.read(progress)
    elif name == "mnist_scattering" and known_file("mnist", folder) is not None:
        data = _published_features(load_known("mnist", folder), progress)
    elif known.openml is not None:
        data = _usual_range(name, _from_openml(known, progress))
    else:
        raise ValueError(missing_sentence(name, folder))
    if name == "mnist_scattering" and data.images is None:
        data = replace(data, images=_same_digits(data, folder))
    tick(progress, 1, 1)
    return replace(data, name=known.title, note=known.sentence, kind=known.kind)


def _published_features(digits: Dataset, progress: Progress | None) -> Dataset:
    X = scattering_vectors(digits.images, as_published=True, progress=progress)
    return prepare(replace(digits, X=X, feature_names=()), pca=COMPONENTS, progress=progress)


def _usual_range(name: str, data: Dataset) -> Dataset:
    """USPS from 0 to 1, where it comes from −1 to 1."""
    signed = name == "usps" and len(data.X) and data.X.min() < 0
    return replace(data, X=(data.X + 1) / 2) if signed else data


def missing_sentence(name: str, folder: str | Path | None = None) -> str:
    """What to get, and where to put it.

    >>> missing_sentence("yaleb", "/data")[:61]
    "Extended Yale B is not in '/data': get CroppedYale.zip of the"
    """
    place = _folder(folder)
    where = "here, as no folder of data is given" if place is None else f"in {str(place)!r}"
    return (
        f"{KNOWN[name].title} is not {where}: get {KNOWN[name].get}; put it into a folder, and give"
        f" that by --data or in {FOLDER_VARIABLE}."
    )


def _same_digits(features: Dataset, folder: str | Path | None) -> NDArray[np.uint8] | None:
    """Pictures of the digits that the features were computed from, if they are at hand."""
    if known_file("mnist", folder) is None:
        return None
    digits = load_known("mnist", folder)
    if digits.labels is None or features.labels is None:
        return None
    return digits.images if np.array_equal(digits.labels, features.labels) else None


def _from_openml(known: Known, progress: Progress | None) -> Dataset:
    bunch = _fetch(known, progress)
    X = np.asarray(bunch.data, dtype=np.float64)
    digits = np.asarray(bunch.target).astype(np.float64).astype(np.int64)
    digits = digits - digits.min()  # OpenML numbers the digits of USPS from 1
    if known.file == KNOWN["mnist"].file:
        X, digits = X[-10_000:], digits[-10_000:]  # its last part is the test part
    side = int(X.shape[1] ** 0.5)
    grey = np.rint((X - X.min()) * (255 / (X.max() - X.min()))).astype(np.uint8)
    return Dataset(
        X,
        digits,
        known.title,
        tuple(str(k) for k in range(digits.max() + 1)),
        grey.reshape(-1, side, side),
    )


def _fetch(known: Known, progress: Progress | None) -> Any:
    """The data set as scikit-learn fetches it, in a thread of its own.

    So it can be watched and given up: `fetch_openml` tells nothing while it waits or loads, but
    what it loads grows in its folder. A fetch that was given up ends with its connection.
    """
    from sklearn.datasets import fetch_openml, get_data_home

    result: dict[str, Any] = {}

    def fetch() -> None:
        try:
            result["bunch"] = fetch_openml(data_id=known.openml, as_frame=False, parser="auto")
        except Exception as error:
            result["error"] = error

    store = Path(get_data_home()) / "openml"
    before = reached = _kilobytes(store)
    worker = threading.Thread(target=fetch, name=f"fetch {known.title}", daemon=True)
    worker.start()
    begun = last_change = time.monotonic()
    while worker.is_alive():
        worker.join(0.1)
        now = _kilobytes(store)
        if now != reached:
            reached, last_change = now, time.monotonic()
        done = max(0, reached - before)
        if time.monotonic() - last_change > PATIENCE:
            what = "nothing more" if done else "nothing"
            raise _out_of_reach(known, f"{what} came within {PATIENCE:.0f} seconds")
        if time.monotonic() - begun > DEADLINE:
            raise _out_of_reach(known, f"it was not all there after {DEADLINE / 60:.0f} minutes")
        tick(progress, min(done, known.download), known.download)
    if "error" in result:
        raise _out_of_reach(known, type(result["error"]).__name__) from result["error"]
    return result["bunch"]


def _out_of_reach(known: Known, why: str) -> ValueError:
    return ValueError(
        f"{known.title} could not be fetched from OpenML ({why}); get {known.get}; put it into a"
        f" folder, and give that by --data or in {FOLDER_VARIABLE}."
    )


def _kilobytes(folder: Path) -> int:
    """Size of what a folder holds; files may vanish meanwhile."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            continue
    return total // 1024
