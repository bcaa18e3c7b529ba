"""The words of the command line, and the exit code."""

import argparse
import sys
from collections.abc import Sequence
from typing import NoReturn

from sdsc_core._version import __version__
from sdsc_core.checks import Incomplete
from sdsc_core.cli import app, benchmark, cluster, compare, reproduce, status, sweep, verdict
from sdsc_core.extras import MissingExtra

BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {message.rstrip('.')}.\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit code: 0, 2 for bad input, 130 after Ctrl-C."""
    parser = _parser()
    options, others = parser.parse_known_args(argv)
    if others and options.command != "app":
        parser.error(f"{' '.join(others)} is not known, see sdsc {options.command} --help")
    options.others = others
    try:
        options.run(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError, MemoryError, MissingExtra) as error:
        print(f"sdsc: {_sentence(error)}", file=sys.stderr)
        return BAD_INPUT
    return 0


def _sentence(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "The memory does not suffice; give fewer points or another method."
    if isinstance(error, Incomplete):
        return (
            f"{error.what}; give --missing mean to fill each gap with the mean of its feature, or"
            " --missing drop to leave such samples out."
        )
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename!r} cannot be used: {error.strerror}."
    return " ".join(str(error).split())


def _parser() -> Parser:
    parser = Parser(prog="sdsc", description="Sparse-Dense Subspace Clustering.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    cluster.add_options(commands.add_parser("cluster", help="cluster a data set"))
    sweep.add_options(commands.add_parser("sweep", help="many settings on a data set at once"))
    compare.add_options(commands.add_parser("compare", help="compare methods on a data set"))
    verdict.add_options(commands.add_parser("verdict", help="say what helps on a data set"))
    app.add_options(
        commands.add_parser("app", help="open the app; further options go to streamlit run")
    )
    reproduce.add_options(commands.add_parser("reproduce", help="measure a table of the paper"))
    benchmark.add_options(
        commands.add_parser("benchmark", help="measure the speed on this machine")
    )
    status.add_options(commands.add_parser("status", help="how a server of the app is"))
    return parser
