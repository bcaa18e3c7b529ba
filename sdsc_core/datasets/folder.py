"""A folder that somebody opened for others: what lies in it, and nothing outside of it."""

from pathlib import Path

from sdsc_core.datasets.readers import FORMATS

MOST_FILES = 1000


def files_in(folder: str | Path) -> list[str]:
    """Names of the data files in ``folder`` and one level below, as ``file`` or ``below/file``.

    Hidden files are left out, and links that lead out of the folder.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> for name in ("a.csv", "notes.txt"):
    ...     _ = (Path(folder) / name).write_text("1,2")
    >>> files_in(folder)
    ['a.csv']
    """
    root = _root(folder)
    found: list[str] = []
    for path in [*root.glob("*"), *root.glob("*/*")]:
        name = path.relative_to(root).as_posix()
        if _fits(name) and _inside(root, path) is not None:
            found.append(name)
            if len(found) == MOST_FILES:
                break
    return sorted(found, key=lambda name: (name.count("/"), name.lower()))


def file_in(folder: str | Path, name: str) -> Path:
    """The path of a file that `files_in` lists; any other name is refused.

    >>> import tempfile
    >>> file_in(tempfile.gettempdir(), "../etc/passwd")
    Traceback (most recent call last):
    ValueError: name is '../etc/passwd'; choose a data file that lies in the opened folder.
    """
    root = _root(folder)
    path = _inside(root, root / name) if _fits(name) else None
    if path is None:
        raise ValueError(f"name is {name!r}; choose a data file that lies in the opened folder.")
    return path


def _root(folder: str | Path) -> Path:
    root = Path(folder).resolve()
    if not root.is_dir():
        raise ValueError(f"folder is {str(folder)!r}; there is no such folder.")
    return root


def _fits(name: str) -> bool:
    """A plain name with a known ending, at most one level deep; judged without touching it."""
    parts = name.split("/")
    plain = all(part and not part.startswith(".") and "\\" not in part for part in parts)
    return plain and len(parts) <= 2 and "\0" not in name and name.lower().endswith(FORMATS)


def _inside(root: Path, path: Path) -> Path | None:
    """Where a path leads if that is a file inside the folder."""
    try:
        real = path.resolve(strict=True)
        return real if real.is_file() and real.is_relative_to(root) else None
    except (OSError, RuntimeError):  # a broken link, or links in a circle
        return None
