"""What the columns of a table are for: features, the label, an identifier, or nothing.

The guess is made from all rows. It takes for an identifier what cannot be a measurement: numbers
or words that only count or name the rows; such a column as a feature spoils every correlation.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdsc_core.datasets import writing
from sdsc_core.datasets.guessing.cells import Cells, ColumnProblem
from sdsc_core.datasets.guessing.doubts import doubts
from sdsc_core.datasets.safe import BadFile, quoted
from sdsc_core.datasets.tables import Table

Role = Literal["feature", "label", "identifier", "left out"]
ROLES: tuple[Role, ...] = ("feature", "label", "identifier", "left out")
CALLED = {"feature": "a feature", "label": "the label", "identifier": "the identifier"}
Name = str | int

EXAMPLES = 3


class Column(NamedTuple):
    """A column of a table: its role, why it has it where that was guessed, and its first cells."""

    name: str
    role: Role
    why: str
    examples: tuple[str, ...]


class Choice(NamedTuple):
    """What the caller says of the columns, by name or number; None leaves it to the guess."""

    label_column: Name | bool | None = None
    id_column: Name | bool | None = None
    ignore: Sequence[Name] = ()
    features: Sequence[Name] = ()


class Content(NamedTuple):
    """The samples of a table, and sentences on where they were found and what was guessed."""

    X: NDArray[np.float64]
    labels: NDArray | None
    how: str
    notes: tuple[str, ...]
    rows: NDArray[np.int64]
    identifiers: NDArray[np.str_] | None
    feature_names: tuple[str, ...]


def table_content(table: Table, choice: Choice, transpose: bool | None) -> Content:
    """Features as numbers, labels and identifiers as they are written.

    With ``transpose`` the columns are the samples: the header names them, and what names the rows
    names the features.
    """
    usual = any(name.lower() in writing.LABEL_NAMES for name in table.layout.columns)
    if transpose and choice.label_column is None and not usual:
        choice = choice._replace(label_column=False)
    cells = [Cells(table, k) for k in range(len(table.layout.columns))]
    columns = _columns(table, cells, choice)
    features, label, identifier = (
        [k for k, c in enumerate(columns) if c.role == role] for role in ROLES[:3]
    )
    if transpose and label:
        raise BadFile(
            f"transpose is True, but the labels of {table.label} are a column; give samples in"
            " rows, or choose no labels."
        )
    if not features:
        raise BadFile(_no_features(table, columns))
    X = np.stack([cells[k].checked() for k in features], axis=1)
    labels = _labels(table, label[0]) if label else None
    texts = table.texts(identifier[0]) if identifier else None
    names = tuple(columns[k].name for k in features) if table.layout.has_header else ()
    notes = (*table.layout.notes, *_sentences(columns), *_gaps(cells[k] for k in features))
    if transpose:
        samples = np.array(names, dtype=np.str_) if names else None
        names = () if texts is None else tuple(map(str, texts))
        how = "samples in columns, no labels"
        return Content(X.T, None, how, notes, np.add(features, 1), samples, names)
    how = f"labels from {_called(columns[label[0]].name)}" if label else "no labels"
    free = [not label and choice.label_column is None, not identifier and choice.id_column is None]
    choose = [role for role, is_free in zip(ROLES[1:], free, strict=False) if is_free]
    titles = [columns[k].name for k in features]
    notes += (*doubts(X, titles, table.layout.has_header, choose),)
    return Content(X, labels, f"samples in rows, {how}", notes, table.rows, texts, names)


def _called(name: str) -> str:
    """A column that has no name goes by its number alone."""
    return name if re.fullmatch(r"column \d+", name) else f"column {quoted(name)}"


def _no_features(table: Table, columns: Sequence[Column]) -> str:
    one = (
        "It has one column: commas, semicolons, tabs or, alike in all rows, spaces part the cells"
        " of a row."
    )
    by_name = [c.name for c in columns if c.role == "label" and not c.why]
    named = [f"“{quoted(name)}” is the label, by its name or as chosen." for name in by_name]
    words = [one] * (len(columns) == 1) + named + _sentences(columns)
    return " ".join([f"{table.label} has no column of numbers that could be a feature.", *words])


def table_columns(table: Table, choice: Choice) -> list[Column]:
    """The role of every column."""
    cells = [Cells(table, k) for k in range(len(table.layout.columns))]
    return _columns(table, cells, choice)


def _sentences(columns: Sequence[Column]) -> list[str]:
    """What was guessed, as a sentence for each role."""
    notes = [
        f"“{quoted(c.name)}” is taken for {CALLED[c.role]}: {c.why}."
        for c in columns
        if c.why and c.role in CALLED
    ]
    left_out = [c for c in columns if c.role == "left out"]
    out = [quoted(c.name) + (f" ({c.why})" if c.why else "") for c in left_out]
    if out:
        notes.append(f"Left out: {_some(out)}.")
    return notes


def _gaps(features: Iterable[Cells]) -> list[str]:
    """Which signs were read as missing numbers, in one sentence."""
    signs = Counter(sign for c in features for sign in c.gap_signs)
    if not signs:
        return []
    words = ", ".join(f"“{quoted(sign)}” ({n:,} ×)" for sign, n in signs.items())
    return [f"Read as missing values: {words}."]


def _some(names: Sequence[str], most: int = 6) -> str:
    """A list for a sentence, cut where it is long."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _columns(table: Table, cells: list[Cells], choice: Choice) -> list[Column]:
    roles, why = _roles(table, cells, choice)
    return [Column(c.name, roles[c.index], why.get(c.index, ""), _examples(c)) for c in cells]


def _examples(cells: Cells) -> tuple[str, ...]:
    first = np.flatnonzero(cells.known)[:EXAMPLES]
    texts = cells.column.to_numpy()[first]
    if cells.is_text or cells.column.dtype.kind in "buif":
        return tuple(quoted(cell, 20) for cell in texts)
    # Numbers that pandas left as texts, since some of the column are none: written as the others.
    numbers = cells.numbers[first]
    return tuple(
        quoted(text, 20) if np.isnan(number) else f"{number:.10g}"
        for text, number in zip(texts, numbers, strict=True)
    )


def _roles(
    table: Table, cells: list[Cells], choice: Choice
) -> tuple[dict[int, Role], dict[int, str]]:
    """The role of each column, and the reasons for what was guessed."""
    roles: dict[int, Role] = {}
    why: dict[int, str] = {}
    told: list[tuple[str, Role, Sequence[Any]]] = [
        ("ignore", "left out", choice.ignore),
        ("features", "feature", choice.features),
        ("label_column", "label", _given(choice.label_column)),
        ("id_column", "identifier", _given(choice.id_column)),
    ]
    for argument, role, names in told:
        for name in names:
            k = _index(table, name, argument)
            if roles.setdefault(k, role) != role:
                raise BadFile(
                    f"{argument} is {quoted(name)!r}, but that column of {table.label} is"
                    f" {roles[k]} already; give each column one role."
                )
    free = [c for c in cells if c.index not in roles]
    if choice.label_column is None and (found := _label(free)):
        roles[found[0]], why[found[0]] = "label", found[1]
    for c in free:
        if c.index not in roles and (reason := _not_classes_too(c, cells, roles)):
            roles[c.index], why[c.index] = "left out", reason
    likely = [(c, c.names_rows()) for c in free if c.index not in roles]
    likely = sorted((pair for pair in likely if pair[1]), key=_preference)
    if choice.id_column is None and likely and 2 * likely[0][0].known.sum() > len(table.rows):
        c, reason = likely.pop(0)
        roles[c.index], why[c.index] = "identifier", reason
    for c, reason in likely:  # no feature either, unless told
        roles[c.index], why[c.index] = "left out", reason
    for c in cells:
        if c.index not in roles and (c.is_text or c.is_empty):
            text = "text" if c.is_complete else "text with gaps"
            roles[c.index], why[c.index] = "left out", text if c.is_text else "empty"
        elif (
            c.index not in roles
            and choice.label_column is None
            and c.name.lower() in writing.LABEL_NAMES
        ):
            why[c.index] = _why_no_label(c)
        roles.setdefault(c.index, "feature")
    return roles, why


def _not_classes_too(c: Cells, cells: list[Cells], roles: dict[int, Role]) -> str:
    """Why a column that says classes is no feature beside the label, which it would give away."""
    label = next((quoted(o.name) for o in cells if roles.get(o.index) == "label"), "")
    says_so = _plain(c.name) in writing.CLEAR_LABELS and c.has_few_values()
    said = f"its name says classes, as that of “{label}”"
    return said if label and says_so and c.could_be_classes() else ""


def _why_no_label(c: Cells) -> str:
    if not c.could_be_classes():
        return "it holds fractions, which are no classes"
    return "it stands beside “x”, as coordinates do" if c.is_coordinate() else ""


def _given(name: Any) -> tuple[Any, ...]:
    return () if name is None or isinstance(name, bool) else (name,)


def _index(table: Table, wanted: Any, argument: str) -> int:
    """The place of a column by its name, its number, or as the last."""
    columns = table.layout.columns
    same = [str(k) for k, name in enumerate(columns) if name == wanted]
    if len(same) > 1:
        raise BadFile(
            f"{argument} is {quoted(wanted)!r}; {table.label} has {len(same)} columns of that name:"
            f" give the number of one, {', '.join(same)}."
        )
    if same:
        return int(same[0])
    if wanted == "last":
        return len(columns) - 1
    if isinstance(wanted, str) and re.fullmatch(r"-?\d{1,9}", wanted):
        wanted = int(wanted)
    if type(wanted) is int and -len(columns) <= wanted < len(columns):
        return wanted % len(columns)
    names = ", ".join(map(quoted, columns[:20])) + (", …" if len(columns) > 20 else "")
    raise BadFile(
        f"{argument} is {quoted(wanted)!r}; {table.label} has the columns {names}: give a name, or"
        f" a number from 0 to {len(columns) - 1}."
    )


def _label(free: list[Cells]) -> tuple[int, str] | None:
    """The column of the labels by its name, or as the only text with few values; and why."""
    for name in writing.LABEL_NAMES:
        for c in free:
            if c.name.lower() == name and c.could_be_classes() and not c.is_coordinate():
                return c.index, ""
    few = [c for c in free if c.could_be_classes() and c.has_few_values() and not c.names_rows()]
    likely = [c for c in few if _plain(c.name) in writing.LIKELY_LABELS]
    texts = [c for c in few if c.is_text and c.is_complete]
    if len(likely) != 1 and len(texts) != 1:
        return None
    (c,) = likely if len(likely) == 1 else texts
    how = "it is the only text with" if [c] == texts else "its name says so, and it has"
    return c.index, f"{how} few values, {c.n_values:,} of them"


def _plain(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.lower())


def _preference(pair: tuple[Cells, str]) -> tuple[bool, bool, bool]:
    """Of several that name the rows: without gaps, a name that says so, text, then in order."""
    c = pair[0]
    return (not c.is_complete, not writing.ID_NAME.fullmatch(c.name), not c.is_text)


def _labels(table: Table, index: int) -> NDArray:
    """Numbers where all are written plainly, else the texts: 01 and 1 are two classes."""
    texts, name = table.texts(index), table.layout.columns[index]
    missing = [k for k, text in enumerate(texts) if writing.is_missing(text)]
    if missing:
        raise ColumnProblem(
            f"{table.label} has no class in row {table.rows[missing[0]]} of column"
            f" {quoted(name)!r}; each sample needs one",
            name,
        )
    column = table.frame[index]
    padded = re.compile(r"[-+]?0\d+")
    if column.dtype.kind == "b" and len(set(texts)) > 2:  # TRUE and True, of two programs
        return np.char.capitalize(texts)
    plain = column.dtype.kind in "uif" and column.notna().all()
    return column.to_numpy() if plain and not any(map(padded.match, texts)) else texts
