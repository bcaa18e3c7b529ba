"""Extended Yale B as it is distributed: .pgm pictures in folders, one a person, or .mat files."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdsc_core.blocks import Progress, tick
from sdsc_core.datasets.dataset import Dataset
from sdsc_core.datasets.public.content import Piece, files
from sdsc_core.datasets.readers import load
from sdsc_core.datasets.safe import BadFile, quoted

CROPPED, SMALL = (192, 168), (48, 42)  # height and width, as distributed and in the paper
PIXELS = {48 * 42: SMALL, 32 * 32: (32, 32), 192 * 168: CROPPED}
PICTURES = (2414, 2432)  # without and with those that are damaged
HEADER = re.compile(rb"P5\s(?:\s*#[^\n]*\n)*\s*(\d+)\s+(\d+)\s+(\d+)\s")


def people(folder: Path) -> list[list[Path]]:
    """The cropped pictures by the folder that they lie in, one for each person.

    Damaged ones are called .bad by those who distribute them, and pictures of the surroundings
    (Ambient) have another size: both stay out.
    """
    by_folder: dict[Path, list[Path]] = {}
    for path in files(folder):
        if path.suffix.lower() == ".pgm":
            by_folder.setdefault(path.parent, []).append(path)
    found = [[p for p in paths if "ambient" not in p.stem.lower()] for paths in by_folder.values()]
    found = [paths for paths in found if paths and _size(paths[0]) == CROPPED]
    return found if len(found) > 1 else []


def _size(path: Path) -> tuple[int, int] | None:
    with open(path, "rb") as file:
        header = HEADER.match(file.read(512))
    return None if header is None else (int(header[2]), int(header[1]))


def read_people(found: list[list[Path]], progress: Progress | None = None) -> Dataset:
    """Every picture at 48×42, each pixel the mean of 4×4."""
    total = sum(map(len, found))
    pictures: list[NDArray[np.float64]] = []
    labels, names = [], []
    for person, paths in enumerate(found):
        for path in paths:
            tick(progress, len(pictures), total)
            picture = _picture(path)
            if picture.shape == CROPPED:
                pictures.append(smaller(picture))
                labels.append(person)
                names.append(f"{path.parent.name}/{path.name}")
    X = np.array(pictures)
    images = np.rint(X).astype(np.uint8)
    classes = tuple(paths[0].parent.name for paths in found)
    return Dataset(
        X.reshape(len(X), -1), np.array(labels), "Extended Yale B", classes, images,
        identifiers=np.array(names),
    )  # fmt: skip


def _picture(path: Path) -> NDArray[np.uint8]:
    content = path.read_bytes()
    header = HEADER.match(content)
    if header is None or int(header[3]) > 255:
        raise BadFile(f"{quoted(path.name, 100)!r} is no .pgm picture of 8 bits; get it again.")
    width, height = int(header[1]), int(header[2])
    values = np.frombuffer(content, np.uint8, offset=header.end())
    if len(values) < width * height:
        raise BadFile(f"{quoted(path.name, 100)!r} ends too early; get it again.")
    return values[: width * height].reshape(height, width)


def smaller(pictures: NDArray) -> NDArray[np.float64]:
    """Pictures (…, 192, 168) at 48×42, each pixel the mean of 4×4.

    >>> smaller(np.ones((2, 192, 168))).shape
    (2, 48, 42)
    """
    *rest, h, w = pictures.shape
    blocks = pictures.reshape(*rest, h // 4, 4, w // 4, 4)
    return blocks.mean(axis=(-3, -1), dtype=np.float64)


def from_arrays(found: list[Piece]) -> tuple[Path, Callable[[], Dataset]] | None:
    """An array (2016, pictures, people), as SSC's authors give it, or a sample a row or column."""
    for piece in found:
        for v in piece.arrays:
            if len(v.shape) == 3 and v.is_number and v.shape[0] in PIXELS and v.shape[2] == 38:
                return piece.path, partial(_by_person, piece, v.name)
    for piece in found:
        for v in piece.arrays:
            sides = sorted(v.shape)
            if len(sides) == 2 and v.is_number and set(sides) & set(PICTURES):
                pixels = sides[0] if sides[1] in PICTURES else sides[1]
                if pixels in PIXELS:
                    return piece.path, partial(_in_rows, piece, v.name)
    return None


def _by_person(piece: Piece, name: str) -> Dataset:
    """(pixels, pictures, people); a picture without any contrast stands for a missing one."""
    read = load(piece.path, name=f"x{piece.form}", x=name, y=False, transpose=True)
    people, pixels = read.n_points, read.n_features // _pictures_each(piece, name)
    X = read.X.reshape(people, pixels, -1).transpose(0, 2, 1).reshape(-1, pixels)
    labels = np.repeat(np.arange(people), len(X) // people)
    kept = X.max(axis=1) > X.min(axis=1)
    return _dataset(X[kept], labels[kept], by_columns=True)


def _pictures_each(piece: Piece, name: str) -> int:
    return next(v.shape[1] for v in piece.arrays if v.name == name)


def _in_rows(piece: Piece, name: str) -> Dataset:
    read = load(piece.path, name=f"x{piece.form}", x=name)
    if read.labels is None:
        raise BadFile(f"{quoted(piece.path.name, 100)!r} has no labels beside {quoted(name)!r}.")
    return _dataset(read.X, read.labels, by_columns=piece.form == ".mat")


def _dataset(X: NDArray[np.float64], labels: NDArray[np.int64], by_columns: bool) -> Dataset:
    """MATLAB writes a picture column by column."""
    height, width = PIXELS[X.shape[1]]
    images = (
        X.reshape(-1, width, height).transpose(0, 2, 1)
        if by_columns
        else X.reshape(-1, height, width)
    )
    if (height, width) == CROPPED:
        images = smaller(images)
    scale = 255 if images.max() <= 1 else 1
    grey = np.rint(np.clip(images * scale, 0, 255)).astype(np.uint8)
    names = tuple(f"person {k + 1}" for k in range(labels.max() + 1))
    return Dataset(images.reshape(len(images), -1), labels, "Extended Yale B", names, grey)
