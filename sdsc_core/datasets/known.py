"""The research data sets of the paper, from a folder of one's own or from OpenML."""

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
from sdsc_core.datasets.readers import load

FOLDER_VARIABLE = "SDSC_DATA"
PATIENCE = 120.0  # seconds without a byte from OpenML until it counts as out of reach
DEADLINE = 1800.0  # seconds for all of a download, however slowly it goes on


@dataclass(frozen=True)
class Known:
    """A known data set: what it is, its file, and where OpenML has it, its number there.

    ``download`` is about how many kilobytes OpenML sends.
    """

    title: str
    sentence: str
    file: str
    kind: str
    openml: int | None = None
    download: int = 0


KNOWN: dict[str, Known] = {
    "yaleb": Known(
        "Extended Yale B",
        "2414 faces of 38 people under 64 lights, 48×42 pixels.",
        "yaleb_48x42.npz",
        "faces",
    ),
    "usps": Known(
        "USPS",
        "9298 handwritten digits of 16×16 pixels.",
        "usps.npz",
        "digits",
        openml=41082,
        download=3_000,
    ),
    "mnist": Known(
        "MNIST",
        "The 10000 handwritten digits of the test part, 28×28 pixels.",
        "mnist_t10k.npz",
        "digits",
        openml=554,
        download=15_000,
    ),
    "mnist_scattering": Known(
        "MNIST, scattering features",
        "The same 10000 digits as 500 principal components of their scattering features.",
        "mnist_t10k_scattering_pca500.npz",
        "digits",
    ),
}


def known_file(name: str, folder: str | Path | None = None) -> Path | None:
    """Where one of `KNOWN` lies in ``folder`` or the folder of SDSC_DATA, or None.

    >>> known_file("usps", "/nowhere") is None
    True
    """
    check_choice(name, "name", tuple(KNOWN))
    folder = folder or os.environ.get(FOLDER_VARIABLE)
    path = Path(folder) / KNOWN[name].file if folder else None
    return path if path is not None and path.is_file() else None


def load_known(
    name: str, folder: str | Path | None = None, progress: Progress | None = None
) -> Dataset:
    """One of `KNOWN`, from ``folder`` or the folder that SDSC_DATA names, else from OpenML.

    USPS comes with values from -1 to 1, its background being -1; it is mapped to 0..1 here, as
    correlation and subspaces through the origin need a background of 0. The paper's "500 dimension
    vectors" of MNIST are read as scattering features reduced by PCA. ``progress`` counts the
    kilobytes that came from OpenML against about how many there are.

    >>> list(KNOWN)
    ['yaleb', 'usps', 'mnist', 'mnist_scattering']
    """
    check_choice(name, "name", tuple(KNOWN))
    known = KNOWN[name]
    tick(progress, 0, 1)
    path = known_file(name, folder)
    if path is not None:
        data = load(path)
    elif known.openml is not None:
        data = _from_openml(known, progress)
    else:
        folder = folder or os.environ.get(FOLDER_VARIABLE)
        raise ValueError(
            f"{known.title} is not on OpenML; put {known.file} into a folder and give it as folder"
            f" or in {FOLDER_VARIABLE}{f', now {folder}' if folder else ''}."
        )
    if name == "usps":
        data = replace(data, X=(data.X + 1) / 2)
    if name == "mnist_scattering" and path is not None:
        data = replace(data, images=_same_digits(path.with_name(KNOWN["mnist"].file), data))
    tick(progress, 1, 1)
    return replace(data, name=known.title, note=known.sentence, kind=known.kind)


def _same_digits(path: Path, features: Dataset) -> NDArray[np.uint8] | None:
    """Pictures of the digits that the features were computed from, if they are at hand."""
    if not path.is_file():
        return None
    digits = load(path)
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
        f"{known.title} could not be fetched from OpenML ({why}); put {known.file} into a folder"
        f" and give it as folder or in {FOLDER_VARIABLE}."
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
