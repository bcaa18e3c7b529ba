"""Which of the arrays in a .npz or .mat file are the samples, the labels and the class names."""

import re

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets.safe import BadFile, Container, Variable, quoted
from sdsc_core.datasets.writing import LABEL_NAMES, MORE_LABEL_NAMES

SAMPLE_NAMES = ("x", "fea", "data", "features", "samples", "images")
LABELS = (*LABEL_NAMES, *MORE_LABEL_NAMES, "onehot", "one_hot")
CLASS_NAMES = ("class_names", "names", "classes", "subject", "label_names", "target_names")
PARTS = (
    r"(?P<part>train|test|valid|val)[_.]?(?P<base>.+)",  # train_x, trainX
    r"(?P<base>.+)[_.](?P<part>train|test|valid|val|tr|te)",  # y_train
    r"(?P<base>.{2,}|[xy])(?P<part>train|test)",  # ytrain, but not strain
    r"(?P<base>[xy])(?P<part>tr|te)",  # Xtr
)


def find_samples(container: Container, label: str, x: str | None) -> Variable:
    """The samples: as told, under a usual name, or the largest table."""
    tables = [v for v in container.variables if _is_table(v)]
    if x is not None:
        chosen = _find(container, x, label, "x")
        if chosen not in tables:
            raise BadFile(
                f"x is {quoted(x)!r}, which has shape {chosen.shape} and type {chosen.dtype};"
                " choose numbers in two dimensions, or three for pictures."
            )
        return chosen
    named = [v for v in container.variables if _split(v.name)[0] in SAMPLE_NAMES]
    for variable in sorted(named, key=_rank):
        if variable in tables:
            return variable
        if variable.is_number and len(variable.shape) > 3:
            raise BadFile(
                f"{quoted(variable.name)} in {label} has shape {variable.shape}; give numbers in"
                " two dimensions, or three for pictures, which are grey."
            )
        if _split(variable.name)[0] in SAMPLE_NAMES[:2] and (
            variable.dtype == "cell" or variable.is_unread
        ):
            raise BadFile(_no_table(container, label, [variable]))
    if not tables:
        raise BadFile(_no_table(container, label, named))
    others = [v for v in tables if _split(v.name)[0] not in LABELS]
    if len(others) > 1:
        others = [v for v in others if not _is_one_hot(container, v)]
    return max(others or tables, key=lambda variable: variable.size)


def sides(variable: Variable) -> tuple[int, ...]:
    """The shape, where grey pictures (N, h, w, 1) or (N, 1, h, w) count as (N, h, w)."""
    shape = variable.shape
    short = [k for k in range(1, len(shape)) if shape[k] == 1]
    if len(shape) == 4 and short:
        return tuple(side for k, side in enumerate(shape) if k != short[-1])
    return shape


def find_labels(
    container: Container, label: str, y: str | bool | None, samples: Variable
) -> tuple[NDArray | None, Variable | None]:
    """The labels and where they were: as told, or by name if they fit the samples."""
    if y is False:
        return None, None
    if isinstance(y, str):
        variable = _find(container, y, label, "y")
        raw = _labels(container, variable, samples)
        if raw is None:
            raise BadFile(
                f"y is {quoted(y)!r}, which has shape {variable.shape}; give one label a sample."
            )
        return raw, variable
    for variable in _label_candidates(container, samples):
        if set(variable.shape) & set(sides(samples)):
            raw = _labels(container, variable, samples)
            if raw is not None and _are_whole(raw):
                return raw, variable
    return None, None


def find_names(
    container: Container, raw: NDArray, used: Variable | None, samples: Variable
) -> tuple[str, ...]:
    """Names of the classes that numbers stand for: texts under a usual name, or as many as classes.

    Texts as many as features or samples may be their names, unless they are called otherwise.
    """
    if raw.dtype.kind in "US":
        return ()  # they are names themselves
    values = np.unique(raw)
    texts = [v for v in container.variables if v.is_text and v != used]
    usual = [v for v in texts if v.name.lower() in CLASS_NAMES and v.size >= len(values)]
    others = [v for v in texts if v.size == len(values) and v.size not in sides(samples)]
    for variable in usual or others[:1]:
        rows = _places(values, variable.size)
        if rows is None:
            continue
        try:
            found = container.read(variable).ravel()
        except BadFile:
            continue  # a guess: a cell of something else leaves the classes without names
        return tuple(str(found[k]).strip() for k in rows)
    return ()


def left_out(container: Container, samples: Variable, labels_wanted: bool) -> str:
    """What the file holds beside what was taken, where somebody may have meant it."""
    part = _split(samples.name)[1]
    other = [v.name for v in container.variables if _is_table(v) and _split(v.name)[1]]
    rest = [name for name in other if part and _split(name)[1] != part]
    rest_note = f", {quoted(rest[0])} left out" if rest else ""
    return rest_note + (_no_labels(container, samples) if labels_wanted else "")


def _no_labels(container: Container, samples: Variable) -> str:
    """Why what looks like labels is none, or what fits without being called so."""
    for v in container.variables:
        if v == samples or _split(v.name)[0] not in LABELS or len(v.shape) > 2:
            continue
        if v.is_unread:
            return f" ({quoted(v.name)} is neither numbers nor text)"
        if v.is_text and v.size == 1:
            return f" ({quoted(v.name)} is one text, not one label a sample)"
        if not _same_part(v, samples):
            if not _split(samples.name)[1] and v.size in sides(samples):
                axis = "columns" if len(sides(samples)) == 2 else "samples along another axis"
                return f" ({quoted(v.name)} goes with the {axis}: choose it if it has the classes)"
            return f" ({quoted(v.name)} belongs to other samples)"
        if v.size > 1:
            if v.size != max(v.shape):
                return f" ({quoted(v.name)} has shape {v.shape}, not one label a sample)"
            if v.size not in sides(samples):
                return f" ({quoted(v.name)} has {v.size:,} entries, not one a sample)"
            return f" ({quoted(v.name)} holds fractions)" if v.is_number else ""
    for v in container.variables:
        if v.size != max(v.shape, default=0) or v.size < 2 or v.size not in sides(samples):
            continue
        whole = v.is_text or v.dtype.startswith(("int", "uint", "bool"))
        if whole or (v.is_number and _are_codes(container.read(v))):  # MATLAB has all in doubles
            return f" ({quoted(v.name)} has one entry a sample: choose it if it holds the classes)"
    return ""


def _is_table(variable: Variable) -> bool:
    shape = sides(variable)
    return variable.is_number and len(shape) in (2, 3) and min(shape) > 1


def _no_table(container: Container, label: str, named: list[Variable]) -> str:
    start = f"{label} holds no table of numbers with samples and features"
    if {"indices", "indptr", "data"} <= {v.name for v in container.variables}:
        return f"{start}, but a sparse matrix as SciPy saves it; save X.toarray()."
    for v in named or [v for v in container.variables if v.shape or v.is_unread]:
        if v.is_number:
            return (
                f"{start}; {quoted(v.name)} has shape {v.shape}: give two dimensions, or three for"
                " grey pictures."
            )
        return f"{start}; {quoted(v.name)} is {_what_else(v, label)}."
    return f"{start}."


def _what_else(variable: Variable, label: str) -> str:
    """What an array is that holds no numbers, and what to do."""
    if variable.dtype == "text":
        return "text"
    if variable.dtype == "cell":
        return "a cell array: save one matrix, as vertcat(X{:}) gives it"
    if variable.dtype == "sparse 7.3":
        return f"a sparse matrix of MATLAB 7.3: save it in full, by full({quoted(variable.name)})"
    if variable.dtype == "object":
        return (
            "a string, a table or another object of MATLAB alone: save numbers, for instance by"
            " double or table2array"
        )
    if label.lower().endswith(".mat'"):
        return "neither numbers nor text: of a struct save the fields, by save with '-struct'"
    return "neither numbers nor text: save an array of numbers"


def _find(container: Container, name: str, label: str, argument: str) -> Variable:
    for variable in container.variables:
        if variable.name == name:
            return variable
    names = ", ".join(quoted(variable.name) for variable in container.variables[:20])
    raise BadFile(f"{argument} is {quoted(name)!r}; {label} holds {names or 'nothing'}.")


def _split(name: str) -> tuple[str, str]:
    """A name in lower case, without the part of the data that it speaks of, and that part."""
    name = name.lower().rsplit("/", 1)[-1]
    name = re.sub(r"(?<=.)_?one_?hot$", "", name) if name not in LABELS else name
    if name not in LABELS:
        for pattern in PARTS:
            if found := re.fullmatch(pattern, name):
                part = found["part"]
                return found["base"], {"tr": "train", "te": "test"}.get(part, part)
    return name, ""


def _rank(variable: Variable) -> tuple[int, bool, bool, bool]:
    base, part = _split(variable.name)
    return SAMPLE_NAMES.index(base), _says_one_hot(variable), part != "", part != "train"


def _label_rank(variable: Variable) -> tuple[bool, int, bool]:
    base, part = _split(variable.name)
    return part == "test", LABELS.index(base), _says_one_hot(variable)


def _says_one_hot(variable: Variable) -> bool:
    return variable.name.lower().endswith("hot")


def _same_part(variable: Variable, samples: Variable) -> bool:
    """Whether labels may belong to the samples: y_test to the rows of X, but not to X_train."""
    own, part = _split(variable.name)[1], _split(samples.name)[1]
    if own and not part:
        return sides(samples)[0] in variable.shape
    return not own or own == part


def _label_candidates(container: Container, samples: Variable) -> list[Variable]:
    """What is called so, the clearest name first; else the other array of ``np.savez(f, X, y)``."""
    named = [
        v
        for v in container.variables
        if v != samples and _split(v.name)[0] in LABELS and _same_part(v, samples)
    ]
    if named or not re.fullmatch(r"arr_\d+", samples.name):
        return sorted(named, key=_label_rank)
    unnamed = [v for v in container.variables if v != samples and v.name.startswith("arr_")]
    return unnamed if len(unnamed) == 1 else []


def _labels(container: Container, variable: Variable, samples: Variable) -> NDArray | None:
    """One label a sample: the values of a list, or the columns that one-hot rows point to."""
    if variable.size == max(variable.shape, default=0):
        return container.read(variable).ravel()
    if not variable.is_number or len(variable.shape) != 2:
        return None
    values = container.read(variable)
    for rows in (values, values.T):
        if len(rows) in sides(samples) and (found := _one_hot(rows)) is not None:
            return found
    return None


def _one_hot(rows: NDArray) -> NDArray | None:
    """Where each row has its one high value, if all others have the same low one."""
    high = rows == rows.max()
    if (high.sum(axis=1) == 1).all() and np.unique(rows).size == 2:
        return high.argmax(axis=1)
    return None


def _is_one_hot(container: Container, variable: Variable) -> bool:
    if len(variable.shape) != 2:
        return False
    values = container.read(variable)
    return any(_one_hot(rows) is not None for rows in (values, values.T))


def _are_whole(raw: NDArray) -> bool:
    """Fractions are no classes; a missing one is, and is refused later."""
    return raw.dtype.kind != "f" or bool((raw[np.isfinite(raw)] % 1 == 0).all())


def _are_codes(raw: NDArray) -> bool:
    return _are_whole(raw) and 1 < len(np.unique(raw)) <= raw.size // 2


def _places(values: NDArray, n_names: int) -> NDArray | None:
    """Which of the names belong to the values: one each, or numbers from 0 or 1 that count them."""
    if len(values) == n_names:
        return np.arange(n_names)
    if (abs(values.astype(np.float64)) > n_names).any():
        return None
    codes = values.astype(np.int64)
    if (codes != values).any():
        return None
    if codes[0] == 0 and codes[-1] < n_names:
        return codes
    return codes - 1 if codes[0] >= 1 and codes[-1] == n_names else None
