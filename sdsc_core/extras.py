"""Packages that only a part of the library needs; who lacks one is told which extra brings it."""

from importlib import import_module
from typing import Any

EXTRAS = {
    "pandas": "files",
    "h5py": "files",
    "PIL": "files",
    "plotly": "figures",
    "matplotlib": "figures",
    "streamlit": "app",
    "authlib": "login",
    "dask": "cluster",
    "distributed": "cluster",
}


class MissingExtra(ImportError):
    """A package is absent that an extra of this library would bring."""


def require(module: str, purpose: str) -> Any:
    """The module, or one sentence on what it is needed for and how to install it.

    >>> require("numpy", "arrays").__name__
    'numpy'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is there, and lacks something itself
        name = {"PIL": "Pillow", "authlib": "Authlib", "matplotlib": "Matplotlib"}.get(
            package, package
        )
        raise MissingExtra(
            f"{purpose} needs {name}, which is not installed;"
            f" install it with: pip install 'sdsc-explorer[{EXTRAS[package]}]'.",
            name=package,
        ) from None
