"""More odd files, made by somebody who means it: as `tests.odd_files`, whose tests take both.

Bombs in places where nobody looks, parts that point to themselves or out of the file, and what is
nested, claimed or repeated beyond all use.
"""

import io
import struct
import zlib

import h5py
import numpy as np
from PIL import Image

from tests.odd_files import FULL, GREY, PLAIN, X, Y, faces, hdf5, npy, npz, zipped
from tests.odd_files import png as picture

TURNED = (5, 12, 0)
THREE = (4, 42, 2)
MAT = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
DOUBLE, CELL, STRUCT, FUNCTION, OBJECT, TEXT = 6, 1, 2, 16, 17, 4


def bomb(n=100_000_000):
    return zlib.compress(bytes(n), 9)


def chunk(kind, content):
    sum_ = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", sum_)


def with_chunks(*chunks):
    """A picture with more chunks behind its header."""
    whole = picture(GREY)
    return faces(whole[:33] + b"".join(chunk(*c) for c in chunks) + whole[33:])


def moving(kind, n, ending):
    frames = [Image.fromarray(np.roll(GREY, k)) for k in range(n)]
    file = io.BytesIO()
    frames[0].save(file, kind, save_all=True, append_images=frames[1:])
    return faces(file.getvalue(), ending=ending)


def tiff(change):
    """A picture whose directory is changed: its place, and how many tags it has."""
    whole = bytearray(picture(GREY, "TIFF"))
    (place,) = struct.unpack("<I", whole[4:8])
    (tags,) = struct.unpack("<H", whole[place : place + 2])
    change(whole, place, tags)
    return faces(bytes(whole), ending="tif")


def to_itself(whole, place, tags):
    whole[place + 2 + 12 * tags : place + 6 + 12 * tags] = struct.pack("<I", place)


def many_tags(whole, place, tags):
    whole[place : place + 2] = b"\xff\xff"


def picture_files():
    return {
        "nested.zip": (zipped({"a.zip": zipped({"a.zip": faces()})}), "holds no pictures"),
        "profile.zip": (with_chunks((b"iCCP", b"x\0\0" + bomb())), "colour profile in it is too"),
        "packed_text.zip": (with_chunks((b"zTXt", b"x\0\0" + bomb())), "a text or a colour"),
        "world_text.zip": (with_chunks((b"iTXt", b"x\0\1\0\0\0" + bomb())), "a text or a colour"),
        "many_texts.zip": (with_chunks(*[(b"tEXt", b"k\0v")] * 20_000), THREE),
        "too_many_rows.zip": (faces(picture(GREY).replace(b"IEND", b"IDAT")), ""),
        "frames.zip": (moving("GIF", 3000, "gif"), "holds 3,000 pictures"),
        "pages.zip": (moving("TIFF", 1000, "tif"), "holds 1,000 pictures"),
        "moving_png.zip": (moving("PNG", 1000, "png"), "holds 1,000 pictures"),
        "to_itself.zip": (tiff(to_itself), THREE),
        "many_tags.zip": (tiff(many_tags), ""),
        "digits.zip": (faces(b"P2 3 3 255\n" + b"9" * 10**6, ending="pgm"), "a number in it is"),
        "negative.zip": (faces(b"P5 -5 -5 255\n" + bytes(99), ending="pgm"), "no picture of a"),
        "script.zip": (faces(b"%!PS-Adobe-3.0 EPSF-3.0\n(/etc/passwd) run\n"), "no picture of a"),
    }  # fmt: skip


def one_place(n):
    """An archive whose every entry is the same few bytes."""
    raw = npy(np.zeros((500, 500)))
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = pack.compress(raw) + pack.flush()
    sizes = (zlib.crc32(raw), len(packed), len(raw))
    local = b"PK\3\4" + struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, *sizes, 7, 0) + b"aaa.npy"
    names = [f"{k:03}.npy".encode() for k in range(n)]
    entry = struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 8, 0, 33, *sizes, 7, 0, 0, 0, 0, 0, 0)
    table = b"".join(b"PK\1\2" + entry + name for name in names)
    at = len(local) + len(packed)
    return (
        local + packed + table + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, n, n, len(table), at, 0)
    )


def numpy_files():
    def header(words, body=b""):
        words = f"{{'fortran_order': False, {words}}}\n".encode()
        return b"\x93NUMPY\1\0" + struct.pack("<H", len(words)) + words + body

    small = bytearray(npz(X=X, y=Y))
    place = small.index(b"PK\1\2") + 24
    small[place : place + 4] = struct.pack("<I", 10)
    return {
        "one_place.npz": (one_place(900), ""),
        "claims_little.npz": (bytes(small), "a checksum is wrong"),
        "inside.npy": (header("'descr': ('<f8', (100000, 100000)), 'shape': (1,)"), "header is"),
        "hidden.npy": (header("'descr': [('a', [('b', 'O')])], 'shape': (1,)", b"."), "no table"),
        "truth_shape.npy": (header("'descr': '<f8', 'shape': (True, 5)", bytes(40)), "no table of"),
        "power.npy": (header("'descr': '<f8', 'shape': (10**10**10,)"), "header is damaged"),
        "long_shape.npy": (header(f"'descr': '<f8', 'shape': ({'9' * 400}, 0)"), "no table of"),
    }  # fmt: skip


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def matrix(kind, shape, name, *parts):
    flags = element(6, struct.pack("<II", kind, 0))
    sides = element(5, struct.pack(f"<{len(shape)}i", *shape))
    return element(14, flags + sides + element(1, name) + b"".join(parts))


def of_class(name):
    """An object of MATLAB, as it saves a string or a table; it has a name in place of a shape."""
    flags = element(6, struct.pack("<II", OBJECT, 0))
    inside = matrix(13, (6, 1), b"", element(6, bytes(24)))
    return element(14, flags + element(1, name) + element(1, b"MCOS") + element(1, b"x") + inside)


def nested(kind, depth, *before):
    inner = matrix(DOUBLE, (1, 1), b"", element(9, bytes(8)))
    for k in range(depth):
        inner = matrix(kind, (1, 1), b"X" if k == depth - 1 else b"", *before, inner)
    return MAT + inner


def matlab_files():
    plain = matrix(DOUBLE, X.shape, b"X", element(9, np.asfortranarray(X).tobytes("F")))
    labels = matrix(DOUBLE, (12, 1), b"y", element(9, Y.astype(float).tobytes()))
    length, field = element(5, struct.pack("<i", 8)), element(1, b"f".ljust(8, b"\0"))
    once = zlib.compress(plain)
    twice = zlib.compress(struct.pack("<II", 15, len(once)) + once)
    return {
        "objects.mat": (MAT + of_class(b"s") + plain + of_class(b"t") + labels, FULL),
        "only_objects.mat": (MAT + of_class(b"s"), "objects of MATLAB alone, such as strings"),
        "deep_cells.mat": (nested(CELL, 3000), "X is a cell array"),
        "deep_structs.mat": (nested(STRUCT, 3000, length, field), "neither numbers nor text"),
        "many_structs.mat": (MAT + matrix(STRUCT, (30_000,) * 2, b"X", length, field), "neither"),
        "function.mat": (MAT + matrix(FUNCTION, (1, 1), b"X", element(14, b"")), "neither numbers"),
        "packed_twice.mat": (MAT + struct.pack("<II", 15, len(twice)) + twice, ""),
        "letters.mat": (MAT + matrix(TEXT, (40_000,) * 2, b"y", element(16, b"ab")), "y is text"),
        "sides.mat": (MAT + matrix(DOUBLE, (1,) * 5000, b"X", element(9, bytes(8))), "no shape"),
    }  # fmt: skip


def hdf5_files():
    def low(root, change, shape=(12, 5)):
        how = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        change(how)
        space = h5py.h5s.create_simple(shape)
        return h5py.h5d.create(root.id, b"X", h5py.h5t.NATIVE_DOUBLE, space, how)

    def compact(root):
        made = low(root, lambda how: how.set_layout(h5py.h5d.COMPACT))
        made.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(X))

    def elsewhere(file):
        def fill(root):
            layout = h5py.VirtualLayout((12, 5), "f8")
            layout[:] = h5py.VirtualSource(file, "X", (12, 5))
            root.create_virtual_dataset("X", layout, fillvalue=0)

        return hdf5(fill)

    def unknown(how):
        how.set_chunk((4, 5))
        how.set_filter(32015, h5py.h5z.FLAG_OPTIONAL, (3,))

    def packed(root):
        def change(how):
            how.set_chunk((10, 10))
            how.set_deflate(9)

        low(root, change, (100, 100)).write_direct_chunk((0, 0), bomb())

    def loop(root):
        root["a"], root["b"], root["X"] = h5py.SoftLink("/b"), h5py.SoftLink("/a"), X

    def with_object(root):
        root["X"] = X.T
        root["s"] = np.zeros((1, 6), np.uint32)
        root["s"].attrs["MATLAB_class"] = np.bytes_("string")
        root["s"].attrs["MATLAB_object_decode"] = np.int32(3)

    def only_object(root):
        with_object(root)
        del root["X"]

    return {
        "compact.mat": (hdf5(compact), TURNED),
        "elsewhere.mat": (elsewhere("/etc/passwd"), "keeps its values in another file"),
        "of_itself.mat": (elsewhere("."), "keeps its values in another file"),
        "unknown_packing.mat": (hdf5(lambda root: low(root, unknown)), "packed in an unusual way"),
        "packed_chunk.mat": (hdf5(packed), "has a chunk of"),
        "loop.mat": (hdf5(loop), "a link to another place"),
        "sides73.mat": (hdf5(lambda r: r.create_dataset("X", (1,) * 32, "f8")), "give numbers in"),
        "objects73.mat": (hdf5(with_object), PLAIN),
        "only_objects73.mat": (hdf5(only_object), "no table of numbers"),
    }  # fmt: skip


def tables():
    return {
        "many_quotes.csv": (b'"' * 30_000_000, "a line of more than 16 MB"),
        "pairs.csv": (b'a,b\n"' + b'""' * 7_000_000 + b'",1\n2,3\n', "131,072 letters"),
        "quote_lines.csv": (b'"\n' * 3_000_000, "lines; at most 1,000,000"),
        "one_cell50.csv": (b"a,b\n1," + b"9" * 50_000_000 + b"\n2,3\n", "a line of more than"),
        "zeros_between.csv": (b"a,b\n" + b"1\0,2\0\n" * 100, "not UTF-8 text"),
        "powers.csv": (b"a,b\n1e999999,1e-999999\n-1e999999,0\n1,2\n", (3, 2, 0)),
        "long_powers.csv": (b"a,b\n1e" + b"9" * 100_000 + b",2\n1,2\n", (2, 2, 0)),
        "all_signs.csv": ((b",;\t|" * 50 + b"\n") * 400, "no column of numbers"),
        "utf32.csv": ("a,b\n1,2\n3,4\n".encode("utf-32"), "not UTF-8 text"),
    }  # fmt: skip


def hostile():
    """Name, content and what is expected of each, as in `odd_files.make`."""
    return picture_files() | numpy_files() | matlab_files() | hdf5_files() | tables()
