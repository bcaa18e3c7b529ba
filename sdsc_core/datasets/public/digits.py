"""USPS and MNIST as they are distributed: .mat, .npz, .h5, libsvm, idx files, ARFF tables."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.public.content import PARTS, Piece, opened
from sdsc_core.datasets.readers import load
from sdsc_core.datasets.safe import BadFile, Variable, quoted
from sdsc_core.extras import require

USPS_PIXELS, MNIST_PIXELS, FEATURES = 256, 784, 500
WHOLE, TRAIN, TEST = 9298, 7291, 2007  # of USPS
RESAMPLED = (4649, 4649)  # of USPS, dealt anew into two halves
MNIST_TEST, MNIST_ALL = 10_000, 70_000
Reader = Callable[[], Dataset]


def usps(found: Sequence[Piece]) -> tuple[Path, Reader] | None:
    """All 9298, else both parts, else 1100 of each digit, else the training part alone."""
    for piece in found:
        for v in _tables(piece, USPS_PIXELS):
            if WHOLE in v.shape:
                return piece.path, partial(_whole_usps, piece, v.name)
    for piece in found:
        if parts := _both_parts(piece):
            return piece.path, partial(_joined, piece, parts)
        if piece.form == "h5" and piece.arrays[0].shape[1:] == (USPS_PIXELS,):
            return piece.path, partial(_from_groups, piece)
    lines = [p for p in found if p.form == "libsvm" and 200 < p.arrays[0].shape[1] <= USPS_PIXELS]
    if lines:
        return lines[0].path, partial(_from_lines, lines)
    if tables := _arff_tables(found, USPS_PIXELS):
        return tables[0].path, partial(_from_arff, tables[0], WHOLE)
    for piece in found:
        for v in piece.arrays:
            if v.is_number and v.shape == (USPS_PIXELS, 1100, 10):
                return piece.path, partial(_by_digit, piece, v.name)
    return None


def mnist(found: Sequence[Piece]) -> tuple[Path, Reader] | None:
    """The test part: idx files, or arrays of 10000; of all 70000 digits the last."""
    images = [p for p in found if p.form == "idx" and p.arrays[0].shape == (MNIST_TEST, 28, 28)]
    labels = [p for p in found if p.form == "idx" and p.arrays[0].shape == (MNIST_TEST,)]
    if images and labels:
        return images[0].path, partial(_from_idx, images[0], labels[0])
    for size in (MNIST_TEST, MNIST_ALL):
        for piece in found:
            for v in _tables(piece, MNIST_PIXELS):
                if size in v.shape:
                    return piece.path, partial(_test_part, piece, v.name)
    if tables := _arff_tables(found, MNIST_PIXELS):
        return tables[0].path, partial(_from_arff, tables[0], MNIST_TEST, unit=False)
    return None


def scattering_features(found: Sequence[Piece]) -> tuple[Path, Reader] | None:
    """An array of 10000 × 500 with labels."""
    for piece in found:
        for v in _tables(piece, FEATURES):
            if MNIST_TEST in v.shape:
                return piece.path, partial(_read, piece, v.name)
    return None


def _tables(piece: Piece, features: int) -> list[Variable]:
    """Numbers with so many features a sample; pictures count by their pixels."""
    side = int(features**0.5)
    return [
        v
        for v in piece.arrays
        if piece.form in (".npz", ".mat") and v.is_number
        and ((len(v.shape) == 2 and features in v.shape) or v.shape[1:] == (side, side))
    ]  # fmt: skip


def _read(piece: Piece, name: str) -> Dataset:
    data = load(piece.path, name=f"x{piece.form}", x=name)
    if data.labels is None:
        raise BadFile(f"{quoted(piece.path.name, 100)!r} has no labels beside {quoted(name)!r}.")
    return data


def _whole_usps(piece: Piece, name: str) -> Dataset:
    data = _read(piece, name)
    return _digits(data.X, _numbers(data))


def _both_parts(piece: Piece) -> tuple[str, str] | None:
    """Names of the training and the test samples, where both are in one file."""
    tables = _tables(piece, USPS_PIXELS)
    parts = [[v for v in tables if part in v.name.lower()] for part in PARTS]
    if not all(parts):
        return None
    train, test = (max(own, key=lambda v: v.size) for own in parts)
    sizes = tuple(v.size // USPS_PIXELS for v in (train, test))
    return (train.name, test.name) if sizes in ((TRAIN, TEST), RESAMPLED) else None


def _joined(piece: Piece, names: tuple[str, str]) -> Dataset:
    parts = [_read(piece, name) for name in names]
    return _digits(
        np.vstack([data.X for data in parts]), np.concatenate([_numbers(data) for data in parts])
    )


def _numbers(data: Dataset) -> NDArray[np.int64]:
    """The digits that the classes stand for: 0 to 9, or 1 to 10 for them."""
    assert data.labels is not None
    try:
        values = np.array([int(float(name)) for name in data.class_names])
    except ValueError:
        values = np.arange(data.n_classes)
    return (values - values.min())[data.labels]


def _from_groups(piece: Piece) -> Dataset:
    h5py = require("h5py", "Reading .h5 files")
    with h5py.File(piece.path, "r") as root:
        X = np.vstack([root[part]["data"][()] for part in PARTS])
        y = np.concatenate([np.ravel(root[part]["target"][()]) for part in PARTS])
    return _digits(X, y.astype(np.int64))


def _from_lines(found: Sequence[Piece]) -> Dataset:
    """Training part and test part, each once, whatever copies lie about."""
    from sklearn.datasets import load_svmlight_file

    parts: dict[int, tuple[NDArray, NDArray[np.int64]]] = {}
    for piece in found:
        with opened(piece.path) as file:
            X, y = load_svmlight_file(file, n_features=USPS_PIXELS)
        parts.setdefault(X.shape[0], (X.toarray(), y.astype(np.int64)))
    order = sorted(parts, reverse=True)
    return _digits(
        np.vstack([parts[n][0] for n in order]), np.concatenate([parts[n][1] for n in order])
    )


def _arff_tables(found: Sequence[Piece], pixels: int) -> list[Piece]:
    return [piece for piece in found if piece.form == "arff" and piece.arrays[0].shape[1] == pixels]


def _from_arff(piece: Piece, last: int, unit: bool = True) -> Dataset:
    """The last so many samples of a table: the test part of MNIST stands there."""
    with opened(piece.path) as file:
        for line in file:
            if line.strip().lower() == b"@data":
                break
        samples = (line for line in file if line.strip() and not line.startswith(b"%"))
        kept = [line.decode("ascii", "replace") for line in deque(samples, last)]
    try:
        table = np.loadtxt(kept, delimiter=",", quotechar="'", ndmin=2)
    except ValueError:
        name = quoted(piece.path.name, 100)
        raise BadFile(f"{name!r} has a line that is not made of numbers; get it again.") from None
    if len(table) < last:
        raise BadFile(f"{quoted(piece.path.name, 100)!r} ends too early; get it again.")
    at = int(piece.arrays[0].name)
    return _digits(np.delete(table, at, axis=1), table[:, at].astype(np.int64), unit)


def _by_digit(piece: Piece, name: str) -> Dataset:
    """(pixels, 1100, digits), in the order 1, 2, …, 9, 0."""
    read = load(piece.path, name=f"x{piece.form}", x=name, y=False, transpose=True)
    X = read.X.reshape(10, USPS_PIXELS, 1100).transpose(0, 2, 1).reshape(-1, USPS_PIXELS)
    return _digits(X, (np.repeat(np.arange(10), 1100) + 1) % 10)


def _from_idx(images: Piece, labels: Piece) -> Dataset:
    X, y = _idx(images).reshape(-1, MNIST_PIXELS), _idx(labels).astype(np.int64)
    return _digits(X.astype(np.float64), y, unit=False)


def _idx(piece: Piece) -> NDArray[np.uint8]:
    """Bytes in the order of the file, after a number for each side."""
    [array] = piece.arrays
    with opened(piece.path) as file:
        file.read(4 + 4 * len(array.shape))
        content = file.read(array.size)
    if len(content) < array.size:
        raise BadFile(f"{quoted(piece.path.name, 100)!r} ends too early; get it again.")
    return np.frombuffer(content, np.uint8).reshape(array.shape)


def _test_part(piece: Piece, name: str) -> Dataset:
    data = _read(piece, name)
    return _digits(data.X[-MNIST_TEST:], _numbers(data)[-MNIST_TEST:], unit=False)


def _digits(X: NDArray, y: NDArray[np.int64], unit: bool = True) -> Dataset:
    """The samples with their pictures; ``unit`` brings them to 0..1 with a background of 0.

    Correlation and subspaces through the origin need that; USPS comes from -1 to 1, or in bytes.
    """
    X = np.asarray(X, np.float64)
    low, high = X.min(), X.max()
    y = y - y.min()  # libsvm numbers the digits of USPS from 1
    side = int(X.shape[1] ** 0.5)
    bytes_ = low >= 0 and high > 2  # already grey values
    stretched = X if bytes_ else (X - low) * (255 / max(high - low, 1e-300))
    grey = np.rint(np.clip(stretched, 0, 255)).astype(np.uint8)
    if unit:
        X = (X + 1) / 2 if low < 0 else X / 255 if bytes_ else X
    names = tuple(str(k) for k in range(y.max() + 1))
    return Dataset(X, y, "digits", names, grey.reshape(-1, side, side))
