"""The paper's data sets as the public offers them, recognised by what is in the files."""

from sdsc_core.datasets.public.finding import Source, find

__all__ = ["Source", "find"]
