"""The research data sets of the paper, from a folder of one's own or from OpenML."""

import os
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.checks import check_choice
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.readers import load

FOLDER_VARIABLE = "SDSC_DATA"


@dataclass(frozen=True)
class Known:
    """A known data set: what it is, its file, and its number on OpenML where it has one."""

    title: str
    sentence: str
    file: str
    kind: str
    openml: int | None = None


KNOWN: dict[str, Known] = {
    "yaleb": Known(
        "Extended Yale B",
        "2414 faces of 38 people under 64 lights, 48×42 pixels.",
        "yaleb_48x42.npz",
        "faces",
    ),
    "usps": Known(
        "USPS", "9298 handwritten digits of 16×16 pixels.", "usps.npz", "digits", openml=41082
    ),
    "mnist": Known(
        "MNIST",
        "The 10000 handwritten digits of the test part, 28×28 pixels.",
        "mnist_t10k.npz",
        "digits",
        openml=554,
    ),
    "mnist_scattering": Known(
        "MNIST, scattering features",
        "The same 10000 digits as 500 principal components of their scattering features.",
        "mnist_t10k_scattering_pca500.npz",
        "digits",
    ),
}


def load_known(
    name: str, folder: str | Path | None = None, progress: Progress | None = None
) -> Dataset:
    """One of `KNOWN`, from ``folder`` or the folder that SDSC_DATA names, else from OpenML.

    USPS comes with values from -1 to 1, its background being -1; it is mapped to 0..1 here, as
    correlation and subspaces through the origin need a background of 0. The paper's "500 dimension
    vectors" of MNIST are read as scattering features reduced by PCA.

    >>> list(KNOWN)
    ['yaleb', 'usps', 'mnist', 'mnist_scattering']
    """
    check_choice(name, "name", tuple(KNOWN))
    known = KNOWN[name]
    tick(progress, 0, 1)
    folder = folder or os.environ.get(FOLDER_VARIABLE)
    path = Path(folder) / known.file if folder else None
    if path is not None and path.is_file():
        data = load(path)
    elif known.openml is not None:
        data = _from_openml(known)
    else:
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


def _from_openml(known: Known) -> Dataset:
    from sklearn.datasets import fetch_openml

    try:
        bunch = fetch_openml(data_id=known.openml, as_frame=False, parser="auto")
    except Exception as error:
        raise ValueError(
            f"{known.title} could not be fetched from OpenML ({type(error).__name__}); put"
            f" {known.file} into a folder and give it as folder or in {FOLDER_VARIABLE}."
        ) from error
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
