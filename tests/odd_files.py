"""Odd files, made here: what each must give is its size, or a part of the sentence that refuses it.

`make` gives all of them. Those that once ended or filled a server are among them at full strength.
"""

import io
import struct
import zipfile
import zlib

import h5py
import numpy as np
import scipy.sparse as sp
from PIL import Image
from scipy.io import savemat

rng = np.random.default_rng(0)
X, Y = rng.random((12, 5)).round(3), np.arange(12) % 3
FULL, PLAIN = (12, 5, 3), (12, 5, 0)
GREY = rng.integers(0, 255, (6, 7), dtype=np.uint8)


def saved(write):
    file = io.BytesIO()
    write(file)
    return file.getvalue()


def npy(array):
    return saved(lambda f: np.save(f, array))


def npz(**arrays):
    return saved(lambda f: np.savez_compressed(f, **arrays))


def mat(packed=True, **arrays):
    return saved(lambda f: savemat(f, arrays, do_compression=packed))


def hdf5(fill):
    def write(file):
        with h5py.File(file, "w", userblock_size=512) as root:
            fill(root)

    head = b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM"
    return head + saved(write)[len(head) :]


def table(header="a,b,c,d,e,label", end="\n", comma=",", values=X, labels=Y):
    rows = [",".join([*map(str, x), str(y)]) for x, y in zip(values, labels, strict=True)]
    return (end.join([header, *rows]) + end).replace(",", comma).encode()


def zipped(members, compression=zipfile.ZIP_DEFLATED):
    def write(file):
        with zipfile.ZipFile(file, "w", compression) as archive:
            for name, content in members.items():
                archive.writestr(name, content)

    return saved(write)


def png(array, kind="PNG", **options):
    return saved(lambda f: Image.fromarray(array).save(f, kind, **options))


def faces(content=None, n=4, ending="png", **more):
    content = png(GREY) if content is None else content
    return zipped({f"{'ab'[k % 2]}/{k}.{ending}": content for k in range(n)} | more)


def changed(data, **at):
    """Bytes with some replaced, as b177=0x80."""
    data = bytearray(data)
    for place, value in at.items():
        data[int(place[1:])] = value
    return bytes(data)


def npy_header(text, version=1):
    size = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + size + text


def claim(shape, descr="<f8"):
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}\n"
    return npy_header(text.encode())


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + b"\0" * (-len(data) % 8)


def matrix(dims, *parts, kind=6, name=b"X", flags=0):
    head = element(6, struct.pack("<II", kind | flags, 0))
    head += element(5, struct.pack(f"<{len(dims)}i", *dims)) + element(1, name)
    return element(14, head + b"".join(parts))


def mat5(*elements, packed=False):
    start = b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM"
    if packed:
        zipped_up = [zlib.compress(e) for e in elements]
        elements = [struct.pack("<II", 15, len(e)) + e for e in zipped_up]
    return start + b"".join(elements)


def sparse(rows, ends, values, shape=(4, 3)):
    parts = [element(5, np.array(a, "<i4").tobytes()) for a in (rows, ends)]
    return mat5(matrix(shape, *parts, element(9, np.array(values, "<f8").tobytes()), kind=5))


def entries(n):
    """A zip archive whose table of contents speaks of n files."""
    local = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 0, 0, 0, 0, 1, 0) + b"a"
    entry = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, *[0] * 7, 1, *[0] * 6) + b"a"
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, n & 65535, n & 65535, len(entry) * n, 31, 0)
    return local + entry * n + end


def dataset(name="X", **options):
    """A variable of version 7.3; MATLAB's dimensions run backwards there."""
    return hdf5(lambda root: root.create_dataset(name, **options))


def cells(n):
    def fill(root):
        text = root.create_dataset("#refs#/a", data=np.array([[65], [66]], np.uint16))
        text.attrs["MATLAB_class"] = np.bytes_("char")
        root["X"] = np.zeros((3, n))
        y = root.create_dataset("y", (1, n), h5py.ref_dtype)
        y[0, :] = [text.ref] * n
        y.attrs["MATLAB_class"] = np.bytes_("cell")

    return hdf5(fill)


def overfull(root):
    data = root.create_dataset("X", (4, 3), "f8", chunks=(4, 3), compression="gzip")
    data.id.write_direct_chunk((0, 0), zlib.compress(bytes(10_000_000)))


def packed_zeros(n, start=b""):
    """Zlib data of n zeros, made without them."""
    pack, parts = zlib.compressobj(1), []
    parts.append(pack.compress(start))
    parts += [pack.compress(bytes(2**20)) for _ in range(n // 2**20)]
    parts.append(pack.compress(bytes(n % 2**20)))
    return b"".join(parts) + pack.flush()


def bombs(n=100, megabytes=32):
    side = megabytes * 2**20 // 8000
    whole = matrix((1000, side), struct.pack("<II", 9, 8000 * side))
    head = struct.pack("<II", 14, len(whole) - 8 + 8000 * side) + whole[8:]
    packed = packed_zeros(8000 * side, head)
    return mat5(*[struct.pack("<II", 15, len(packed)) + packed] * n)


def tables():
    wide = ",".join(map(str, range(600_000)))
    return {
        "plain.csv": (table(), FULL),
        "windows.csv": (table(end="\r\n"), FULL),
        "semicolons.csv": (table(comma=";"), FULL),
        "tabs.tsv": (table(comma="\t"), FULL),
        "mark.csv": (b"\xef\xbb\xbf" + table(), FULL),
        "latin.csv": (table("é,b,c,d,e,label").decode().encode("latin-1"), FULL),
        "utf16.csv": (table().decode().encode("utf-16"), "save it as CSV in UTF-8"),
        "zeros.csv": (bytes(1000), "save it as CSV in UTF-8"),
        "empty.csv": (b"", "is empty"),
        "blank.csv": (b"\n\n\n", "is empty"),
        "spaces.csv": (b"  \n \n", "is empty"),
        "header.csv": (b"a,b,label\n", "header but no rows"),
        "one_cell.csv": (b"1", (1, 1, 0)),
        "one_row.csv": (b"1,2,3\n", (1, 3, 0)),
        "word.csv": (b"word\n", "header but no rows"),
        "only_text.csv": (b"a,b\nx,y\nz,w\n", "no column of numbers"),
        "ragged.csv": (table() + b"1,2,3,4,5,6,7,8\n", "8 cells in row 14, but 6"),
        "short.csv": (table() + b"1,2\n", "no class in row 14"),
        "gap.csv": (b"a,b,label\n1,2,x\n3,4,\n5,6,y\n", "no class in row 3 of column 'label'"),
        "wrong.csv": (b"a,b\n1,2\n3,4\n5,6\nx,7\n8,9\n", "'x' in row 5 of column 'a'"),
        "missing.csv": (b"a,b\n1,2\n3,\nNA,6\n", (3, 2, 0)),
        "infinite.csv": (b"a,b\n1,2\ninf,4\n3,-inf\n", (3, 2, 0)),
        "quote.csv": (b'a,b,label\n1,2,"x\n3,4,y\n5,6,z\n', "quotation mark"),
        "quotes.csv": (b'"a","b","label"\n"1","2","x, y"\n"3","4","z"\n', (2, 2, 2)),
        "breaks.csv": (b'"a\nb",c,label\n1,2,x\n3,4,y\n', (2, 2, 2)),
        "formula.csv": (b"a,b,label\n1,2,=1+1\n3,4,@x\n", (2, 2, 2)),
        "html.csv": (b"a,b,label\n1,2,<script>alert(1)</script>\n3,4,x\n", (2, 2, 2)),
        "long_name.csv": (b"a" * 5000 + b",b\n1,2\n3,4\n", "texts of 5,000 letters"),
        "long_label.csv": (b"a,b,label\n1,2," + b"x" * 5000 + b"\n3,4,y\n", "5,000 letters"),
        "long_cell.csv": (b"a,b,label\n1,2," + b"x" * 200_000 + b"\n3,4,y\n", "131,072 letters"),
        "long_line.csv": (b"1" * 20_000_000, "a line of more than 16 MB"),
        "long_identifier.csv": (
            b"id,a,b\n" + b"x" * 100_000 + b",1,2\n"
            + b"".join(b"r%d,1,%d\n" % (k, k * k % 9) for k in range(50_000)),
            "100,000 letters",
        ),
        "controls.csv": (b"a,b,c\n1,2,x\x1b[31m\n3,4,x\x07\n5,6,\x08\n", (3, 2, 0)),
        "commas.csv": (b"," * 6_000_000, "6,000,001 columns; at most 20,000"),
        "commas_below.csv": (b"a,b\n" + b"," * 6_000_000, "6,000,001 columns; at most 20,000"),
        "columns.csv": (f"{wide}\n{wide}\n".encode(), "600,000 columns; at most 20,000"),
        "newlines.csv": (b"1,2\n" + b"\n" * 5_000_000, "5,000,001 lines; at most 1,000,000"),
        "returns.csv": (b"1,2\r" * 300_000, "old Mac"),
        "few_returns.csv": (b"a,b\r1,2\r3,4\r", "old Mac"),
        "classes.csv": (
            b"a,b,label\n" + b"".join(b"1,%d,c%d\n" % (k, k // 2) for k in range(4000)),
            "2,000 classes; choose other labels, or none",
        ),
        "huge_numbers.csv": (b"a,b\n1e308,2\n-1e308,1e400\n", (2, 2, 0)),
        "digits.csv": (b"a,b\n" + b"9" * 400 + b",2\n3,4\n", (2, 2, 0)),
        "picture.csv": (png(GREY), "a PNG picture by its content, not .csv; put pictures into"),
        "excel.csv": (zipped({"xl/workbook.xml": b"x"}), "an Excel workbook by its content, not"),
        "excel.xlsx": (zipped({"xl/workbook.xml": b"x"}), "an Excel workbook: save it as CSV"),
        "picture.jpg": (png(GREY, "JPEG"), "a JPEG picture: put pictures into a .zip"),
        "login.csv": (b"\n<!DOCTYPE html><title>Log in</title>", "a web page by its content"),
        "old_excel.csv": (b"\xd0\xcf\x11\xe0" + bytes(500), "an old Excel or Word file"),
        "same_names.csv": (b"a,a,a\n1,2,3\n4,5,7\n", (2, 3, 0)),
        "decimal_commas.csv": (b"a;b;label\n1,5;2,5;x\n3,5;4,5;y\n", (2, 2, 2)),
    }  # fmt: skip


def numpy_files():
    objects = np.array([[1, "a"], [None, 2]], dtype=object)
    structured = np.zeros(3, dtype=[("a", "f8"), ("b", "i4")])
    long_type = "[" + ", ".join(f"('f{k}', '<f8')" for k in range(2000)) + "]"
    many = {f"v{k}": np.zeros(2) for k in range(1200)}
    whole, archive = npy(X), npz(X=X, y=Y)
    locked = archive.index(b"PK\1\2") + 8  # the flags of the first entry
    return {
        "plain.npy": (whole, PLAIN),
        "fortran.npy": (npy(np.asfortranarray(X)), PLAIN),
        "big_endian.npy": (npy(X.astype(">f4")), PLAIN),
        "whole_numbers.npy": (npy((X * 9).astype(np.int8)), PLAIN),
        "half.npy": (npy(X.astype(np.float16)), PLAIN),
        "truth.npy": (npy(X > 0.5), PLAIN),
        "complex.npy": (npy(X + 1j), "complex numbers"),
        "objects.npy": (saved(lambda f: np.save(f, objects, allow_pickle=True)), "no table of"),
        "structured.npy": (npy(structured), "no table of numbers"),
        "text.npy": (npy(X.astype(str)), "X is text"),
        "list.npy": (npy(Y), r"X has shape (12,)"),
        "number.npy": (npy(np.float64(3)), "no table of numbers"),
        "no_rows.npy": (npy(X[:0]), "no table of numbers"),
        "five.npy": (npy(np.zeros((2, 2, 2, 2, 2))), "(2, 2, 2, 2, 2); give numbers in two"),
        "dates.npy": (npy(np.zeros((3, 3), "M8[s]")), "neither numbers nor text"),
        "nan.npy": (npy(np.full((3, 4), np.nan)), (3, 4, 0)),
        "cut.npy": (whole[:200], "cut short"),
        "cut_header.npy": (whole[:40], "header is damaged"),
        "magic.npy": (whole[:6], "does not begin as"),
        "empty.npy": (b"", "is empty"),
        "nonsense.npy": (b"nonsense" * 100, "does not begin as a NumPy array does"),
        "version.npy": (changed(whole, b6=9), "version (9, 0)"),
        "claims.npy": (claim((10**6, 10**6)), "would take 7,629,395 MB"),
        "claims_much.npy": (claim((2**62, 2**62)), "would take"),
        "negative.npy": (claim((-3, 4)) + bytes(100), "no table of numbers"),
        "sides.npy": (claim((1,) * 3000), "3,000 dimensions"),
        "long_header.npy": (npy_header(b" " * 70_000, 2), "a header of 70,000 bytes"),
        "evil_header.npy": (npy_header(b"__import__('os').system('true')"), "header is damaged"),
        "deep_header.npy": (npy_header(b"(" * 9000 + b")" * 9000), "header is damaged"),
        "long_type.npy": (
            npy_header(f"{{'descr': {long_type}, 'fortran_order': False, 'shape': (3,)}}"[:65_000]
                       .encode()), "header is damaged",
        ),
        "plain.npz": (archive, FULL),
        "stored.npz": (saved(lambda f: np.savez(f, X=X, y=Y)), FULL),
        "turned.npz": (npz(X=X.T, y=Y), FULL),
        "texts.npz": (npz(X=X, y=np.array(["a", "b", "c"])[Y]), FULL),
        "bytes.npz": (npz(X=X, y=np.array([b"a", b"\xff", b"c"])[Y]), FULL),
        "pictures.npz": (npz(X=np.zeros((12, 4, 4), np.uint8), y=Y), (12, 16, 3)),
        "colours.npz": (npz(X=np.zeros((12, 4, 4, 3)), y=Y), "give numbers in two dimensions"),
        "fractions.npz": (npz(X=X, y=Y / 2), PLAIN),
        "too_few.npz": (npz(X=X, y=Y[:4]), PLAIN),
        "missing_label.npz": (npz(X=X, y=np.where(Y == 0, np.nan, Y)), "missing or infinite"),
        "empty_label.npz": (npz(X=X, y=np.array(["", "b", "c"])[Y]), "labels that are empty"),
        "sparse.npz": (saved(lambda f: sp.save_npz(f, sp.csr_array(X))), "save X.toarray()"),
        "no_arrays.npz": (zipped({"a.txt": b"x"}), "no table of numbers"),
        "empty.npz": (zipped({}), "no table of numbers"),
        "many.npz": (npz(**many), "1,200 files; at most 1,000"),
        "cut.npz": (archive[:-30], "no zip archive, or only a part"),
        "damaged.npz": (changed(archive, b80=0, b90=255, b100=7), ""),
        "pickle.npz": (zipped({"X.npy": b"\x80\x04."}), "does not begin as a NumPy"),
        "encrypted.npz": (changed(archive, **{f"b{locked}": 1}), "encrypted"),
        "lzma.npz": (zipped({"X.npy": whole}, zipfile.ZIP_LZMA), "packed in an unusual way"),
        "paths.npz": (zipped({"../../X.npy": whole}), PLAIN),
        "long_names.npz": (zipped({"x" * 60_000 + ".npy": npy(Y)}), "x…"),
        "controls.npz": (zipped({"a\nb\x1b[31m.npy": npy(Y)}), "a�b�[31m has shape"),
        "header.npz": (
            zipped({"X.npy": b"\x93NUMPY\2\0" + struct.pack("<I", 3 * 2**30) + bytes(2**22)}),
            "a header of 3,072 MB",
        ),
        "labels.npz": (npz(X=X, y=np.full(12, "a", "U500000")), "500,000 letters; at most 1,000"),
        "zeros.npz": (
            zipped({"X.npy": claim((8000, 8000)) + bytes(2**20)}), "would take 488 MB; at most 229",
        ),
        "entries.npz": (entries(1_000_000), "1,000,000 files; at most 50,000"),
    }  # fmt: skip


def matlab_files():
    plain, stored = mat(X=X, y=Y), mat(packed=False, X=X)
    text = np.array(["ab", "cd", "ef"])[Y]
    cell = np.array(["a", "b", "c"], dtype=object)[Y]
    real = element(9, X.T.tobytes())
    deep = np.array(["deep"], dtype=object)
    for _ in range(400):
        deep, inner = np.empty(1, dtype=object), deep
        deep[0] = inner
    return {
        "plain.mat": (plain, FULL),
        "stored.mat": (mat(packed=False, X=X, y=Y), FULL),
        "turned.mat": (mat(X=X.T, y=Y), FULL),
        "version4.mat": (saved(lambda f: savemat(f, {"X": X, "y": Y}, format="4")), FULL),
        "sparse_plain.mat": (mat(X=sp.csc_array(X)), PLAIN),
        "texts.mat": (mat(X=X, y=text), FULL),
        "cell.mat": (mat(X=X, y=cell), FULL),
        "struct.mat": (mat(data={"X": X}), "data is neither numbers nor text"),
        "complex.mat": (mat(X=X + 1j), "complex numbers"),
        "cells_of_numbers.mat": (mat(X=np.array([X, X, None], dtype=object)[:2]), "a cell array"),
        "deep.mat": (mat(X=X, y=deep), PLAIN),
        "big_cell.mat": (mat(X=X, y=np.array(["z" * 9000] * 12, dtype=object)), "more than 65,536"),
        "empty.mat": (b"", "is empty"),
        "header.mat": (plain[:128], "no table of numbers"),
        "cut.mat": (plain[:-20], "ends too early"),
        "cut_stored.mat": (stored[:300], "ends too early"),
        "nonsense.mat": (b"nonsense" * 100, "could not be read as a MATLAB file"),
        "crash.mat": (changed(stored, b177=0x80), "numbers of an unknown type (32777)"),
        "reserved.mat": (changed(stored, b176=8), "unknown type (8)"),
        "packed_crash.mat": (
            mat5(matrix((12, 5), element(0x8009, X.tobytes())), packed=True), "type (32777)",
        ),
        "cell_crash.mat": (
            mat5(matrix((12, 5), real),
                 matrix((1, 12), *[matrix((1, 1), element(99, b"abcd"), kind=4)] * 12, kind=1,
                        name=b"y")),
            "unknown type (99)",
        ),
        "by_hand.mat": (mat5(matrix((5, 12), real)), (5, 12, 0)),
        "no_shape.mat": (mat5(matrix((5,), real)), "has no shape"),
        "wrong_shape.mat": (mat5(matrix((5, 13), real)), "sizes do not go with"),
        "negative_shape.mat": (mat5(matrix((-5, 12), real)), "no table of numbers"),
        "huge_shape.mat": (mat5(matrix((2**31 - 1, 2**31 - 1), real)), "would take"),
        "no_name.mat": (mat5(matrix((5, 12), real, name=b"")), ""),
        "two_of_one_name.mat": (mat5(matrix((5, 12), real), matrix((5, 12), real)), "one name"),
        "many.mat": (mat5(*[matrix((1, 1), element(9, bytes(8)), name=b"v%d" % k)
                            for k in range(1500)]), "1,001 variables; at most 1,000"),
        "zlib.mat": (mat5(struct.pack("<II", 15, 40) + b"x" * 40), "is damaged"),
        "sparse_by_hand.mat": (sparse([0, 3, 1], [0, 1, 2, 3], [1, 2, 3]), (4, 3, 0)),
        "sparse_rows.mat": (sparse([0, 9, 1], [0, 1, 2, 3], [1, 2, 3]), "entries outside of it"),
        "sparse_negative.mat": (sparse([0, -1, 1], [0, 1, 2, 3], [1, 2, 3]), "outside of it"),
        "sparse_ends.mat": (sparse([0, 1, 1], [0, 10**6, 2, 3], [1, 2, 3]), "do not add up"),
        "sparse_hidden.mat": (sparse([0, 1, 1], [0, 10**6, 10**6, 0], [1, 2, 3]), "not add up"),
        "sparse_large.mat": (mat(X=sp.csc_array((16_000, 16_000))), "would take 1,953 MB"),
        "bombs.mat": (bombs(), "unpacks to more than"),
        "bomb.mat": (bombs(1, 300), "unpacks to more than"),
        "plain73.mat": (hdf5(lambda r: r.update(fea=X.T, gnd=Y[None, :])), FULL),
        "packed73.mat": (dataset(data=X.T, compression="gzip", shuffle=True), PLAIN),
        "link.mat": (hdf5(lambda r: r.__setitem__("X", h5py.SoftLink("/y"))), "is a link"),
        "outside.mat": (
            hdf5(lambda r: r.__setitem__("X", h5py.ExternalLink("/etc/passwd", "X"))), "is a link",
        ),
        "external.mat": (
            dataset(shape=(4, 3), dtype="f8", external=[("/etc/hostname", 0, 96)]),
            "in another file",
        ),
        "unallocated.mat": (dataset(shape=(15_000, 15_000), dtype="f8"), "would take 1,717 MB"),
        "claims73.mat": (dataset(shape=(10**7, 10**7), dtype="f8"), "would take"),
        "large_chunk.mat": (
            dataset(shape=(4, 3), dtype="f8", maxshape=(None, None), chunks=(20_000, 20_000)),
            "would take",
        ),
        "lzf.mat": (dataset(data=X, compression="lzf"), "unusual way"),
        "overfull.mat": (hdf5(overfull), "more than its header says"),
        "chunks.mat": (dataset(data=X[:4, :3], chunks=(1, 1), compression="gzip"), (3, 4, 0)),
        "many_chunks.mat": (
            dataset(shape=(1000, 100), dtype="f8", chunks=(1, 1), compression="gzip"),
            "100,000 chunks; at most 50,000",
        ),
        "cells73.mat": (cells(12), (12, 3, 1)),
        "many_cells.mat": (cells(100_000), "100,000 cells; at most 10,000"),
        "cut73.mat": (hdf5(lambda r: r.update(X=X))[:900], "could not be read as"),
        "damaged73.mat": (changed(hdf5(lambda r: r.update(X=X)), b600=255, b700=255), ""),
        "text73.mat": (dataset(data=np.full((5000, 3), 65, np.uint16)), (3, 5000, 0)),
        "group.mat": (hdf5(lambda r: r.create_group("X")), "neither numbers nor text"),
        "empty73.mat": (hdf5(lambda r: None), "no table of numbers"),
    }  # fmt: skip


def picture_files():
    blank = saved(lambda f: Image.new("1", (4400, 4400)).save(f, "PNG", optimize=True))
    claims = struct.pack(">II", 30_000, 30_000) + b"\1\0\0\0\0"
    huge = (
        png(GREY)[:16] + claims + struct.pack(">I", zlib.crc32(b"IHDR" + claims)) + png(GREY)[33:]
    )
    return {
        "plain.zip": (faces(), (4, 42, 2)),
        "jpeg.zip": (faces(png(GREY, "JPEG"), ending="jpg"), (4, 42, 2)),
        "pgm.zip": (faces(png(GREY, "PPM"), ending="pgm"), (4, 42, 2)),
        "gif.zip": (faces(png(GREY, "GIF"), ending="gif"), (4, 42, 2)),
        "tiff.zip": (faces(png(GREY, "TIFF"), ending="tif"), (4, 42, 2)),
        "bmp.zip": (faces(png(GREY, "BMP"), ending="bmp"), (4, 42, 2)),
        "webp.zip": (faces(png(GREY, "WEBP"), ending="png"), "no picture of a kind that can be"),
        "no_folders.zip": (zipped({"1.png": png(GREY), "2.png": png(GREY)}), (2, 42, 0)),
        "outside.zip": (faces(**{"x.png": png(GREY)}), "x.png lies outside"),
        "other_size.zip": (faces(**{"b/x.png": png(GREY.T)}), (5, 49, 2)),
        "other_files.zip": (faces(**{"notes.txt": b"x"}), (4, 42, 2)),
        "mac.zip": (faces(**{"__MACOSX/a/._0.png": b"x"}), (4, 42, 2)),
        "text.zip": (zipped({"a.txt": b"x"}), "holds no pictures"),
        "empty.zip": (zipped({}), "holds no pictures"),
        "no_picture.zip": (faces(b"hello"), "no picture of a kind that can be read"),
        "cut_picture.zip": (faces(png(GREY)[:50]), "could not be read as a picture"),
        "damaged_picture.zip": (faces(changed(png(GREY), b45=255, b50=1)), "a picture"),
        "moving.zip": (
            faces(png(GREY, "GIF", save_all=True, append_images=[Image.fromarray(255 - GREY)]),
                  ending="gif"), "holds 2 pictures",
        ),
        "fractions.zip": (faces(png(X.astype(np.float32), "TIFF"), ending="tif"), "fractions"),
        "sixteen.zip": (faces(png(GREY.astype(np.uint16) * 257)), (4, 42, 2)),
        "see_through.zip": (
            faces(saved(lambda f: Image.new("RGBA", (7, 6), (255, 255, 255, 9)).save(f, "PNG"))),
            "all blank on white",
        ),
        "blank.zip": (faces(blank, n=13), (13, 4096, 2)),  # each is made small as it is read
        "huge.zip": (faces(huge, n=2), "too many pixels"),
        "large.zip": (faces(bytes(65 * 2**20), n=1), "65 MB, too many for a picture"),
        "cut.zip": (faces()[:-20], "no zip archive, or only a part"),
        "half.zip": (faces()[200:], ""),
        "nonsense.zip": (b"nonsense" * 100, "no zip archive"),
        "nothing.zip": (b"", "is empty"),
        "lzma.zip": (zipped({"a/1.png": png(GREY)}, zipfile.ZIP_LZMA), "unusual way"),
        "bzip2.zip": (zipped({"a/1.png": png(GREY)}, zipfile.ZIP_BZIP2), "unusual way"),
        "backslashes.zip": (zipped({f"{c}\\1.png": png(GREY) for c in "ab"}), (2, 42, 2)),
        "parents.zip": (zipped({f"../{c}/1.png": png(GREY) for c in "ab"}), "holds no pictures"),
        "absolute.zip": (zipped({f"/etc/{c}/1.png": png(GREY) for c in "ab"}), (2, 42, 2)),
        "long_name.zip": (zipped({"a" * 60_000 + "/1.png": b"x"}), "texts of 60,006 letters"),
        "controls.zip": (zipped({"a\x1b[31m\n/1.png": b"x"}), "a�[31m�/1.png"),
        "entries.zip": (entries(1_000_000), "1,000,000 files; at most 50,000"),
        "matlab.zip": (mat(X=X), "a MATLAB file by its content"),
        "gzip.zip": (b"\x1f\x8b\x08" + bytes(50), "packed with gzip"),
        "notes.txt": (b"hello", "none of the endings"),
        "no ending": (b"hello", "none of the endings"),
        "a" * 300 + ".csv": (table(), FULL),
        "a\nb\x1b[31m.csv": (b"", "is empty"),
        "![x](http://host/t.png).csv": (table(), FULL),
    }  # fmt: skip


def make():
    """Name, content and what is expected of each; an empty text where both would do."""
    return tables() | numpy_files() | matlab_files() | picture_files()
