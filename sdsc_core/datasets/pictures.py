"""A zip archive of pictures, one folder a class."""

import io
import zipfile
from collections import Counter
from contextlib import suppress
from pathlib import PurePosixPath
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.safe import (
    BadFile,
    Variable,
    check_entries,
    check_letters,
    check_limit,
    check_size,
    checked_members,
    quoted,
    reading,
)
from sdsc_core.extras import require

ENDINGS = (".png", ".jpg", ".jpeg", ".pgm", ".ppm", ".bmp", ".gif", ".tif", ".tiff")
UNPACKED = (".csv", ".tsv", ".data", ".txt", ".mat", ".npy", ".npz")
# Only these decoders: others start programs, or take memory before the size is known.
FORMATS = ("PNG", "JPEG", "PPM", "BMP", "GIF", "TIFF")
PLAIN, DEEP, DEEP_COLOUR, SEE_THROUGH = "plain", "deep", "deep colour", "see-through"
KIND = "sdsc kind"
ORIENTATION = 274  # the EXIF tag that says how a camera was held
UTF8 = 0x800  # the flag of a zip member whose name is UTF-8
MAX_IMAGE_BYTES = 64 * 2**20
MOST_PIXELS = 256 * 256  # of a picture that is taken as it is
SIDE = 64  # pixels of the longer side of photographs, once they are scaled


class Pictures(NamedTuple):
    """What an archive holds."""

    values: NDArray[np.float64]  # (n, h, w), grey from 0 to 255
    folders: NDArray | None  # (n,)
    names: NDArray[np.str_]  # (n,), the path of each in the archive
    note: str  # what somebody should know about how they were read


def read_pictures(file: IO[bytes], label: str, limits: Limits) -> Pictures:
    """Grey pictures, the folder that each lies in, and their names.

    Without folders there are no labels, and a single folder around all pictures is only a wrapper.
    """
    check_entries(file, label, limits)
    with zipfile.ZipFile(file) as archive:
        members = _members(archive, label, limits)
        files = [i for i in archive.infolist() if not i.is_dir() and not _is_hidden(i)]
        sizes = [_looked_at(archive, info, label, limits) for info in members]
        values, kinds = _unpacked(archive, members, common_size(sizes), label, limits)
    note = _scaled_note(sizes, values.shape[1:])
    note += _checked_greys(values, np.array(kinds), label)
    note += _without({_path(i) for i in files} - {_path(i) for i in members})
    folders = _folders(members)
    names = np.array([str(_path(info)) for info in members])
    if len(set(folders)) == 1:
        return Pictures(values, None, names, f"{note}, all in one folder")
    if "" in folders:
        outside = quoted(members[folders.index("")].filename)
        raise BadFile(f"{label} has class folders, but {outside} lies outside of them.")
    if len({_path(info).parent for info in members}) > len(set(folders)):
        note += ", folders of one name taken as one class"
    elif len({_path(info).parent.parent for info in members}) > 1:
        note += ", each inner folder taken as a class"
    return Pictures(values, np.array(folders), names, note)


def _looked_at(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, label: str, limits: Limits
) -> tuple[int, int]:
    """The height and width of a picture, whose pixels are not yet unpacked."""
    place = f"{quoted(info.filename)} in {label}"
    if info.file_size > MAX_IMAGE_BYTES:
        raise BadFile(f"{place} has {megabytes(info.file_size)}, too many for a picture.")
    with reading(place, "a picture"):
        return _size(_open(archive.read(info), place, limits))


def common_size(sizes: list[tuple[int, int]]) -> tuple[int, int]:
    """Height and width that all pictures get: their own where that is one and small enough.

    Photographs of several sizes, or of many pixels, come to 64 pixels at the longer side; a square
    where some are upright and others are not.

    >>> common_size([(48, 42), (48, 42)]), common_size([(480, 640), (300, 400)])
    ((48, 42), (48, 64))
    >>> common_size([(480, 640), (640, 480)]), common_size([(20, 20), (480, 640)])
    ((64, 64), (20, 20))
    """
    if len(set(sizes)) == 1 and sizes[0][0] * sizes[0][1] <= MOST_PIXELS:
        return sizes[0]
    side = min(SIDE, *(max(size) for size in sizes))
    shapes = {(round(side * h / max(h, w)), round(side * w / max(h, w))) for h, w in sizes}
    h, w = shapes.pop() if len(shapes) == 1 else (side, side)
    return max(1, h), max(1, w)


def _scaled_note(sizes: list[tuple[int, int]], size: tuple[int, ...]) -> str:
    if set(sizes) == {size}:
        return ""
    if len(set(sizes)) == 1:
        return f", scaled from {sizes[0][0]}×{sizes[0][1]}"
    return f", the middle of each, scaled from {len(set(sizes)):,} sizes"


def _unpacked(
    archive: zipfile.ZipFile,
    members: list[zipfile.ZipInfo],
    size: tuple[int, int],
    label: str,
    limits: Limits,
) -> tuple[NDArray[np.float64], list[str]]:
    """The grey pixels, scaled where a picture has another size, and what kind each picture is."""
    shape = (len(members), *size)
    check_size(label, Variable("The set of pictures", shape, "uint8"), 8, limits)
    values, kinds = np.empty(shape), []
    for k, info in enumerate(members):
        place = f"{quoted(info.filename)} in {label}"
        with reading(place, "a picture"):
            picture = _open(archive.read(info), place, limits)
            if scaled := _size(picture) != size:
                picture.draft(None, (2 * max(size), 2 * max(size)))  # a JPEG unpacks no more
            grey, kind = _grey(picture, place)
            values[k] = _fitted(grey, size) if scaled else grey
            kinds.append(kind)
    return values, kinds


def _fitted(grey: NDArray, size: tuple[int, int]) -> NDArray:
    """The middle of a picture in another size, its proportions kept."""
    from PIL import Image, ImageOps

    picture = Image.fromarray(grey.astype(np.float32))
    return np.asarray(ImageOps.fit(picture, size[::-1], Image.Resampling.BILINEAR))


def _checked_greys(values: NDArray[np.float64], kinds: NDArray, label: str) -> str:
    """Bring deep pictures to 0..255, where they are not so already; refuse what came to nothing."""
    deep, scaled = kinds == DEEP, ""
    if deep.any():
        low, top = values[deep].min(), values[deep].max()
        if low < 0 or top > 65535:
            raise BadFile(f"{label} holds grey values beyond 0 to 65,535; save 8 or 16 bits.")
        if top > 255:
            values[deep] /= 256
            scaled = ", values of 16 bits divided by 256"
    colour = kinds == DEEP_COLOUR
    if colour.any() and values[colour].max() <= 16:  # of Netpbm's colours Pillow rounds them
        raise BadFile(
            f"{label} holds colours of 16 bits whose upper 8 bits are almost empty; save them with"
            " 8 bits."
        )
    see_through = kinds == SEE_THROUGH
    if see_through.any() and values.min() == values.max():
        raise BadFile(
            f"The pictures in {label} are all blank on white ground; save them without"
            " transparency."
        )
    return scaled + (", transparent parts as white" if see_through.any() else "")


def picture_variables(file: IO[bytes], label: str, limits: Limits) -> list[Variable]:
    """The folders and how many pictures each holds."""
    check_entries(file, label, limits)
    with zipfile.ZipFile(file) as archive:
        folders = Counter(_folders(_members(archive, label, limits)))
    return [Variable(name, (folders[name],), "uint8") for name in sorted(folders)]


def _members(archive: zipfile.ZipFile, label: str, limits: Limits) -> list[zipfile.ZipInfo]:
    """The pictures by folder and name, without what operating systems add."""
    members = []
    for info in checked_members(archive, label, limits, "members"):
        if info.filename.lower().endswith(ENDINGS) and not _is_hidden(info):
            members.append(info)
    if not members:
        raise BadFile(f"{label} holds no pictures{_instead(archive)}.")
    check_limit(f"{label} holds {len(members):,} pictures", len(members), limits, "images")
    check_letters(label, max(len(str(_path(info))) for info in members), limits)
    total, most = sum(info.file_size for info in members), limits.unpacked_bytes
    if total > most:
        raise BadFile(f"{label} unpacks to {megabytes(total)}; at most {megabytes(most)} are read.")
    return sorted(members, key=lambda info: (_folder(info), info.filename))


def _instead(archive: zipfile.ZipFile) -> str:
    """What to do with an archive of other files: of a table, or of pictures of other kinds."""
    paths = [_path(info) for info in archive.infolist() if not (info.is_dir() or _is_hidden(info))]
    tables = [path.name for path in paths if path.suffix.lower() in UNPACKED]
    if tables:
        return f", but {quoted(tables[0])}; unpack it, and give that file"
    kinds = ", ".join(ENDINGS)
    return f" of the kinds that are read ({kinds}); put them into one folder for each class"


def _without(others: set[PurePosixPath]) -> str:
    """How many files were left out, and of which kinds they are."""
    if not others:
        return ""
    kinds = ", ".join(sorted({path.suffix.lower() for path in others} - {""})[:3])
    said = f", without {len(others):,} other file{'s' if len(others) > 1 else ''}"
    return said + (f" ({quoted(kinds)})" if kinds else "")


def _path(info: zipfile.ZipInfo) -> PurePosixPath:
    """The path in the archive; some programs write backslashes, some UTF-8 without saying so."""
    name = info.filename
    if not info.flag_bits & UTF8:
        with suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return PurePosixPath(name.replace("\\", "/"))


def _is_hidden(info: zipfile.ZipInfo) -> bool:
    return any(part.startswith((".", "__MACOSX")) for part in _path(info).parts)


def _folder(info: zipfile.ZipInfo) -> str:
    return _path(info).parent.name


def _folders(members: list[zipfile.ZipInfo]) -> list[str]:
    """The folder of each; where all have one name, as in cat/images and dog/images, that around."""
    paths = [_path(info).parent for info in members]
    while len({path.name for path in paths}) == 1 < len(set(paths)):
        paths = [path.parent for path in paths]
    return [path.name for path in paths]


def _open(data: bytes, place: str, limits: Limits) -> Any:
    """The picture with its size known and its pixels not yet unpacked."""
    Image = require("PIL.Image", "Reading pictures")

    picture = Image.open(io.BytesIO(data), formats=FORMATS)
    size = f"{place} has {picture.height}×{picture.width} pixels"
    check_limit(size, picture.width * picture.height, limits, "pixels")
    # Of colours with 16 bits Pillow takes the upper 8, and forgets it with the first look inside.
    deep = False
    for decoder, _, _, how in picture.tile[:1]:
        deep = ";16" in str(how) or (decoder.startswith("ppm") and how[1] > 255)
    picture.info[KIND] = DEEP_COLOUR if deep else PLAIN
    return picture


def _size(picture: Any) -> tuple[int, int]:
    """Height and width as it is meant to be seen."""
    on_its_side = picture.getexif().get(ORIENTATION, 1) in (5, 6, 7, 8)
    return picture.size if on_its_side else picture.size[::-1]


def _grey(picture: Any, place: str) -> tuple[NDArray, str]:
    """The grey values, and what kind of picture they come from."""
    from PIL import Image, ImageOps

    if picture.mode == "F":
        raise BadFile(f"{place} holds fractions; save it with 8 or 16 bits a pixel.")
    frames = getattr(picture, "n_frames", 1)
    if frames > 1 and picture.format != "MPO":
        raise BadFile(f"{place} holds {frames:,} pictures; save each in a file of its own.")
    kind = picture.info[KIND]
    picture = ImageOps.exif_transpose(picture)
    if picture.mode.startswith("I"):
        return np.asarray(picture).astype(np.int64), DEEP
    if picture.has_transparency_data:
        picture = picture.convert("RGBA")
        if picture.getextrema()[3][0] < 255:
            white = Image.new("RGBA", picture.size, "white")
            return np.asarray(Image.alpha_composite(white, picture).convert("L")), SEE_THROUGH
    return np.asarray(picture.convert("L")), kind
