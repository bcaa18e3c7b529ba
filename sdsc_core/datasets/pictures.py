"""A zip archive of pictures, one folder a class."""

import io
import zipfile
from pathlib import PurePosixPath
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.safe import (
    Refused,
    Variable,
    check_size,
    checked_members,
    megabytes,
    reading,
)

ENDINGS = (".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".gif", ".tif", ".tiff")
# Only these decoders: others start programs, or take memory before the size is known.
FORMATS = ("PNG", "JPEG", "PPM", "BMP", "GIF", "TIFF")
MAX_FILES = 100_000
MAX_IMAGE_BYTES = 64 * 2**20
MAX_PIXELS = 20_000_000  # of one picture


def read_pictures(
    file: IO[bytes], label: str, limit: int
) -> tuple[NDArray[np.uint8], NDArray | None]:
    """Grey pictures (n, h, w) and the folder that each lies in.

    Without folders there are no labels, and a single folder around all pictures is only a wrapper.
    """
    with zipfile.ZipFile(file) as archive:
        members = _members(archive, label, limit)
        pictures: NDArray[np.uint8] | None = None
        for k, info in enumerate(members):
            place = f"{info.filename} in {label}"
            if info.file_size > MAX_IMAGE_BYTES:
                raise Refused(f"{place} has {megabytes(info.file_size)}, too many for a picture.")
            with reading(place, "a picture"):
                picture = _open(archive.read(info), place)
                if pictures is None:
                    shape = (len(members), picture.height, picture.width)
                    check_size(label, Variable("The set of pictures", shape, "uint8"), 8, limit)
                    pictures = np.empty(shape, dtype=np.uint8)
                if (picture.height, picture.width) != pictures.shape[1:]:
                    raise Refused(
                        f"{place} has {picture.height}×{picture.width} pixels, but the first"
                        f" picture has {pictures.shape[1]}×{pictures.shape[2]}; all need one size."
                    )
                pictures[k] = _grey(picture, place)
    assert pictures is not None  # _members refuses an archive without pictures
    folders = [_folder(info) for info in members]
    if len(set(folders)) == 1:
        return pictures, None
    if "" in folders:
        outside = members[folders.index("")].filename
        raise Refused(f"{label} has class folders, but {outside} lies outside of them.")
    return pictures, np.array(folders)


def picture_variables(file: IO[bytes], label: str, limit: int) -> list[Variable]:
    """The folders and how many pictures each holds."""
    with zipfile.ZipFile(file) as archive:
        folders = [_folder(info) for info in _members(archive, label, limit)]
    return [Variable(name, (folders.count(name),), "uint8") for name in sorted(set(folders))]


def _members(archive: zipfile.ZipFile, label: str, limit: int) -> list[zipfile.ZipInfo]:
    """The pictures by folder and name, without what operating systems add."""
    members = []
    for info in checked_members(archive, label, MAX_FILES):
        parts = PurePosixPath(info.filename).parts
        hidden = any(part.startswith((".", "__MACOSX")) for part in parts)
        if info.filename.lower().endswith(ENDINGS) and not hidden:
            members.append(info)
    if not members:
        raise Refused(f"{label} holds no pictures; put them into one folder for each class.")
    total = sum(info.file_size for info in members)
    if total > limit:
        raise Refused(
            f"{label} unpacks to {megabytes(total)}; at most {megabytes(limit)} are read."
        )
    return sorted(members, key=lambda info: (_folder(info), info.filename))


def _folder(info: zipfile.ZipInfo) -> str:
    return PurePosixPath(info.filename).parent.name


def _open(data: bytes, place: str) -> Any:
    """The picture with its size known and its pixels not yet unpacked."""
    from PIL import Image

    picture = Image.open(io.BytesIO(data), formats=FORMATS)
    if picture.width * picture.height > MAX_PIXELS:
        raise Refused(
            f"{place} has {picture.height}×{picture.width} pixels; at most {MAX_PIXELS:,} are read."
        )
    return picture


def _grey(picture: Any, place: str) -> NDArray[np.uint8]:
    """Eight bits of grey; sixteen keep their upper eight."""
    if picture.mode == "F":
        raise Refused(f"{place} holds fractions; save it with 8 or 16 bits a pixel.")
    if picture.mode.startswith("I"):
        return np.clip(np.asarray(picture).astype(np.int64) // 256, 0, 255).astype(np.uint8)
    return np.asarray(picture.convert("L"))
