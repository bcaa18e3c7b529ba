"""Files of others, read in a process of their own; see `asking`."""

from sdsc_core.datasets.apart.asking import ISOLATED, columns, inspect, load, session, start

__all__ = ["ISOLATED", "columns", "inspect", "load", "session", "start"]
