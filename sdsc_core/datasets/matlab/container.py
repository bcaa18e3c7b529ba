"""MATLAB's .mat files: up to version 7 with SciPy, version 7.3, which is HDF5, with h5py."""

import math
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.limits import Limits, megabytes
from sdsc_core.datasets.matlab.mat5 import (
    MAX_CELL_BYTES,
    inflated,
    stored_variables,
    without_objects,
)
from sdsc_core.datasets.safe import (
    BadFile,
    Container,
    Variable,
    check_letters,
    check_limit,
    check_size,
    dtype_name,
    quoted,
    real_numbers,
)
from sdsc_core.extras import require

HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
MATLAB_TYPES = {"double": "float64", "single": "float32", "logical": "bool", "char": "text"}


def mat_container(file: IO[bytes], label: str, limits: Limits) -> Container:
    """A .mat file of any version."""
    start = file.read(520)
    if start.startswith(HDF5_MAGIC) or start[512:] == HDF5_MAGIC:
        return _hdf5_container(file, label, limits)
    return _mat5_container(file, label, limits)


def _mat5_container(file: Any, label: str, limits: Limits) -> Container:
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import matfile_version

    file.seek(0)
    major, _ = matfile_version(file)
    # Version 4 has no compression, so its arrays are no larger than the file.
    stored = stored_variables(file, label, limits) if major else []
    sizes = [one.size for one in stored if not one.is_object]
    if stored and not sizes:
        raise BadFile(
            f"{label} holds objects of MATLAB alone, such as strings or tables, which are not read;"
            " save numbers, for instance by double or table2array."
        )
    file = without_objects(file, stored)
    file.seek(0)
    variables = [
        Variable(name, tuple(shape), _mat5_dtype(kind)) for name, shape, kind in whosmat(file)
    ]
    check_limit(f"{label} holds {len(variables):,} variables", len(variables), limits, "variables")
    if len({v.name for v in variables}) < len(variables):
        raise BadFile(f"{label} holds two variables of one name; save it again.")
    unpacked = dict(zip(variables, sizes, strict=True)) if major else {}

    def read(variable: Variable) -> NDArray:
        place = f"{quoted(variable.name)} in {label}"
        check_readable(variable, label)
        check_size(label, variable, 8, limits)
        if variable.dtype == "cell" and unpacked.get(variable, 0) > MAX_CELL_BYTES:
            raise BadFile(
                f"{place} is a cell array of more than"
                f" {megabytes(MAX_CELL_BYTES)}; save numbers, or text as a character array."
            )
        file.seek(0)
        value: Any = loadmat(file, variable_names=[variable.name])[variable.name]
        if not isinstance(value, np.ndarray):  # sparse; of truth values it is listed as logical
            check_size(label, variable._replace(shape=value.shape), 8, limits)
            return real_numbers(_full(value, place), place)
        if variable.dtype == "cell":
            return _cell_text(value, variable, label)
        if value.dtype.kind == "U":
            check_letters(place, value.dtype.itemsize // 4, limits)
        return real_numbers(value, place)

    return Container(variables, read)


def _full(sparse: Any, place: str) -> NDArray:
    """A sparse matrix in full, once all its indices lie within it.

    SciPy's own check leaves out the indices where the last count is zero.
    """
    value = sparse.tocsc() if sparse.format != "csc" else sparse
    ends, rows = value.indptr.astype(np.int64), value.indices
    fits = len(ends) == value.shape[1] + 1 and ends[0] == 0 and (np.diff(ends) >= 0).all()
    if not fits or ends[-1] > min(len(rows), len(value.data)):
        raise BadFile(f"{place} is a sparse matrix whose columns do not add up; save it again.")
    rows = rows[: ends[-1]]
    if len(rows) and not 0 <= rows.min() <= rows.max() < value.shape[0]:
        raise BadFile(f"{place} is a sparse matrix with entries outside of it; save it again.")
    return value.toarray()


def check_readable(variable: Variable, label: str) -> None:
    if variable.is_unread:
        raise BadFile(
            f"{quoted(variable.name)} in {label} is neither numbers nor text; save it as either."
        )


def _mat5_dtype(kind: str) -> str:
    kind = MATLAB_TYPES.get(kind, kind)
    known = kind in ("text", "cell", "sparse", "bool") or kind.startswith(("float", "int", "uint"))
    return kind if known else "other"


def _cell_text(value: NDArray, variable: Variable, label: str) -> NDArray:
    cells = [np.ravel(cell) for cell in value.ravel()]
    if not all(cell.dtype.kind == "U" for cell in cells):
        raise BadFile(
            f"{quoted(variable.name)} in {label} is a cell array of other things than text; save"
            " numbers, by cell2mat, or text alone."
        )
    return np.array([str(cell[0]) if cell.size else "" for cell in cells])


def _hdf5_container(file: IO[bytes], label: str, limits: Limits) -> Container:
    h5py = require("h5py", "Reading .mat files of MATLAB 7.3")

    root = h5py.File(file, "r")
    names = [name for name in root if not name.startswith("#")]
    check_limit(f"{label} holds {len(names):,} variables", len(names), limits, "variables")
    for name in names:
        if not isinstance(root.get(name, getlink=True), h5py.HardLink):
            raise BadFile(
                f"{quoted(name)} in {label} is a link to another place, which is not followed."
            )
    items = {name: root[name] for name in names}
    variables = [_hdf5_variable(name, item) for name, item in items.items()]

    def read(variable: Variable) -> NDArray:
        check_readable(variable, label)
        place = f"{quoted(variable.name)} in {label}"
        if variable.dtype == "cell":
            check_limit(f"{place} has {variable.size:,} cells", variable.size, limits, "cells")
        if variable.dtype == "text":
            check_letters(place, items[variable.name].shape[0], limits)
        values = _hdf5_values(items[variable.name], place, limits)
        if variable.dtype == "cell":
            texts = [_hdf5_text(root[reference], label, limits) for reference in values.ravel()]
            return np.array(texts)
        if values.dtype.names:
            values = values["real"] + 1j * values["imag"]
        return _characters(values) if variable.dtype == "text" else real_numbers(values, place)

    return Container(variables, read, root.close)


def _hdf5_variable(name: str, item: Any) -> Variable:
    """HDF5 lists MATLAB's dimensions backwards; a row of characters counts as one text."""
    from h5py import Reference, check_ref_dtype

    if "MATLAB_object_decode" in item.attrs:  # of a string or a table it holds numbers of places
        return Variable(name, (), "object")
    if getattr(item, "shape", None) is None:
        return Variable(name, (), "sparse 7.3" if "MATLAB_sparse" in item.attrs else "other")
    if "MATLAB_empty" in item.attrs:  # it holds its shape in place of values
        return Variable(name, (0,), "other")
    shape, kind = tuple(item.shape[::-1]), item.attrs.get("MATLAB_class", b"")
    if kind == b"char" and item.dtype.kind == "u":
        return Variable(name, shape[:-1], "text")
    # Anything but references would be taken for names, and a name may lead out of the file.
    if kind == b"cell" and check_ref_dtype(item.dtype) is Reference:
        return Variable(name, shape, "cell")
    dtype = "complex128" if item.dtype.names == ("real", "imag") else dtype_name(item.dtype)
    return Variable(name, shape, "other" if dtype == "text" else dtype)


def _hdf5_values(data: Any, place: str, limits: Limits) -> NDArray:
    """The values in MATLAB's order, if they lie in this file and unpack to what it says."""
    if data.is_virtual or data.external:
        raise BadFile(f"{place} keeps its values in another file, which is not read.")
    for shape in (data.shape, data.chunks or ()):
        check_size(place, Variable("The array", shape, ""), data.dtype.itemsize, limits)
    if data.chunks:
        n = math.prod(-(-side // part) for side, part in zip(data.shape, data.chunks, strict=True))
        check_limit(f"{place} lies in {n:,} chunks", n, limits, "chunks")
    _check_chunks(data, place)
    return np.asarray(data[()]).T


def _check_chunks(data: Any, place: str) -> None:
    """Refuse packing other than MATLAB's, and chunks that unpack to more than they should.

    HDF5 itself unpacks a chunk to whatever size it turns out to have.
    """
    from h5py import h5z

    plist = data.id.get_create_plist()
    filters = [plist.get_filter(i)[0] for i in range(plist.get_nfilters())]
    usual = (h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32)
    if any(f not in usual for f in filters) or len(set(filters)) < len(filters):
        raise BadFile(f"{place} is packed in an unusual way; save it with gzip or unpacked.")
    if h5z.FILTER_DEFLATE not in filters:
        return
    skipped = 1 << filters.index(h5z.FILTER_DEFLATE)
    checksum = 4
    most = int(np.prod(data.chunks)) * data.dtype.itemsize + checksum
    chunks: list[Any] = []
    data.id.chunk_iter(chunks.append)  # to ask for one by its number counts all before it
    for chunk in chunks:
        if chunk.size > 2 * most + 2**16:
            raise BadFile(f"{place} has a chunk of {megabytes(chunk.size)}; save it again.")
        mask, raw = data.id.read_direct_chunk(chunk.chunk_offset)
        if not mask & skipped and inflated([raw], most) > most:
            raise BadFile(f"{place} unpacks to more than its header says.")


def _hdf5_text(item: Any, label: str, limits: Limits) -> str:
    """One text of a cell array."""
    if item.attrs.get("MATLAB_class", b"") != b"char" or item.dtype.kind != "u":
        raise BadFile(
            f"A cell array in {label} holds other things than text; save numbers, by cell2mat, or"
            " text alone."
        )
    if "MATLAB_empty" in item.attrs:
        return ""
    check_letters(f"A cell array in {label}", item.size, limits)
    return str(_characters(_hdf5_values(item, f"A text in {label}", limits))[0])


def _characters(codes: NDArray) -> NDArray:
    """MATLAB's characters, one text a row."""
    rows = np.atleast_2d(codes).astype("<u2")
    return np.array([row.tobytes().decode("utf-16-le", "replace").rstrip() for row in rows])
