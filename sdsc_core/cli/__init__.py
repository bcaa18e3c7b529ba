"""The command ``sdsc``: cluster a file, compare methods on it, open the app, repeat the paper.

A file for each subcommand, with its options and what it does.
"""

from sdsc_core.cli.command import main

__all__ = ["main"]
