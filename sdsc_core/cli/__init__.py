"""The command ``sdsc``: cluster a file, open the app, repeat the paper's tables, measure speed.

A file for each subcommand, with its options and what it does.
"""

from sdsc_core.cli.command import main

__all__ = ["main"]
