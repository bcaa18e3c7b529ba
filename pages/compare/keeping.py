"""The cells of a comparison for the session file."""

from collections.abc import Hashable
from dataclasses import asdict, fields
from typing import Any

from pages.compare import running
from pages.shared.text import counted
from sdsc_core import compare
from sdsc_core.baselines import BASELINES
from sdsc_core.checks import check_choice
from sdsc_core.methods import METHODS
from sdsc_core.session import Part


def pack() -> Part | None:
    """All finished cells, with what each depends on; not their matrices."""
    cells = running.cells()
    if not cells:
        return None
    return Part({"cells": [[key, asdict(result)] for key, result in cells.items()]})


def unpack(part: Part) -> str:
    """Cells come back under what they depend on: they show where the same is chosen again."""
    found = {_tuples(key): _result(result) for key, result in part.words["cells"]}
    running.cells().update(found)
    return counted(len(found), "cell") + " of comparisons"


def _result(words: dict[str, Any]) -> compare.Result:
    """A cell, if each of its figures is one."""
    wider: dict[Any, Any] = {
        float: int | float,
        float | None: int | float | None,
    }  # JSON may write 1 for 1.0
    for field in fields(compare.Result):
        kind: Any = wider.get(field.type, field.type)
        if field.name in words and not isinstance(words[field.name], kind):
            raise TypeError
    result = compare.Result(**words)
    check_choice(result.method, "method", (*METHODS, *BASELINES))  # they head tables and charts
    check_choice(result.dense, "dense", compare.STAGES)
    return result


def _tuples(value: Any) -> Hashable:
    """JSON knows lists alone, and a key is made of tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
