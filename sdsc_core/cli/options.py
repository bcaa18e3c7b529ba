"""What several subcommands read: a parameter of a method, a file to write."""

from pathlib import Path
from typing import Any

from sdsc_core.methods.base import Method


def check_writable(path: str | None) -> None:
    """ValueError where the folder of a file to write does not exist."""
    if path is not None and not Path(path).absolute().parent.is_dir():
        raise ValueError(f"{path!r} cannot be written; there is no such folder.")


def read_param(text: str, method: Method, form: str = "NAME=VALUE") -> tuple[str, Any]:
    """One --param as name and value."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--param is {text!r}; give {form}.")
    like = {p.name: p.default for p in method.parameters}.get(name, "")
    return name, _typed(value, like)


def _typed(text: str, like: Any) -> Any:
    """The text in the type of ``like``; as it is where it does not fit, for the check to refuse."""
    if isinstance(like, bool):
        return {"true": True, "false": False}.get(text.lower(), text)
    try:
        return type(like)(text)
    except ValueError:
        return text
