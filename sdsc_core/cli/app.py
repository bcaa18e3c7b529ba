"""``sdsc app``: the app on a local server."""

import argparse
import logging
import os
import runpy
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from sdsc_core.cli import kernels
from sdsc_core.cli.paths import EXERCISE_KEY_VARIABLE, LOGIN_VARIABLE, TOKEN_VARIABLE, home
from sdsc_core.cli.warm import load_libraries
from sdsc_core.datasets import Limits, apart
from sdsc_core.datasets.known import FOLDER_VARIABLE
from sdsc_core.datasets.limits import VARIABLE as LIMITS_VARIABLE
from sdsc_core.extras import require

ADDRESS, THIS_MACHINE = "--server.address", "127.0.0.1"
SHORTEST_TOKEN = 16  # letters


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where the server listens, and the folder with data."""
    add = parser.add_argument
    add("--port", type=int, help="port of the server, 8501 by default")
    add("--data", metavar="DIR", help="folder with data that users may open")
    add("--limit", metavar="NAME=NUMBER", action="append", default=[],
        help="what a file of a user may hold or take, and what sessions may; may be repeated."
        " By default "
        + ", ".join(f"{f.name}={f.default}" for f in fields(Limits)))  # fmt: skip
    add("--login", action="store_true",
        help="ask visitors to log in by OpenID, with the provider that [auth] in"
        " .streamlit/secrets.toml names")  # fmt: skip
    add("--exercise-key", metavar="FILE",
        help="file with the key that seals exercises, made where there is none; by default"
        " ~/.sdsc/exercise.key. Servers that share it open each other's exercises")  # fmt: skip
    add("--status-token", metavar="FILE",
        help="a file with a long random text: who sends it as a bearer token is told the status,"
        " as `sdsc status` is on this machine without one")  # fmt: skip
    add(
        ADDRESS, dest="address", default=THIS_MACHINE, metavar="HOST",
        help=f"who can reach it: {THIS_MACHINE} (the default) this machine alone, 0.0.0.0 all"
        " machines in its network",
    )  # fmt: skip
    parser.set_defaults(run=_app)


def _app(options: argparse.Namespace) -> None:
    if options.data is not None:
        folder = Path(options.data).resolve()
        if not folder.is_dir():
            raise ValueError(f"--data is {options.data!r}; give a folder that exists.")
        os.environ[FOLDER_VARIABLE] = str(folder)
    limits = Limits.of(options.limit)
    os.environ[LIMITS_VARIABLE] = " ".join(options.limit)
    os.environ[LOGIN_VARIABLE] = "1" if options.login else ""
    if options.exercise_key is not None:
        file = Path(options.exercise_key).resolve()
        if not file.parent.is_dir():
            raise ValueError(
                f"--exercise-key is {options.exercise_key!r}; give a file in a folder that exists."
            )
        os.environ[EXERCISE_KEY_VARIABLE] = str(file)
    if options.status_token is not None:
        os.environ[TOKEN_VARIABLE] = _token(Path(options.status_token))
    require("streamlit", "The app")
    if options.login:
        require("authlib", "A login")
    if not apart.ISOLATED:
        print("Files of users are read in the server's own process: this system has no fork.")
    _write_lines()
    kernels.of_installation()
    apart.start()  # it imports what it needs while this process does
    load_libraries()
    sys.argv = streamlit_arguments(options.port, options.others, options.address, limits)
    # In this process, so that Ctrl-C and a signal to `sdsc` reach the server itself.
    runpy.run_path(str(home() / "pages" / "shared" / "streamlit_inside.py"), run_name="__main__")


def _token(file: Path) -> str:
    token = file.read_text("utf-8").strip()
    if len(token) < SHORTEST_TOKEN:
        raise ValueError(
            f"--status-token is a file with {len(token)} letters; give one with at least"
            f" {SHORTEST_TOKEN}, at random."
        )
    return token


def _write_lines() -> None:
    """A line to standard error for each upload, refusal, run and error."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("sdsc")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False


def streamlit_arguments(
    port: int | None,
    others: Sequence[str] = (),
    address: str = THIS_MACHINE,
    limits: Limits | None = None,
) -> list[str]:
    """The words of ``streamlit run`` for the app.

    Streamlit reads .streamlit/config.toml of the current folder alone, so its settings go along as
    flags. What the caller adds comes later and wins.

    >>> streamlit_arguments(8080)[-2:]
    ['--server.port', '8080']
    """
    folder = home()
    settings = tomllib.loads((folder / ".streamlit" / "config.toml").read_text("utf-8"))
    words = ["streamlit", "run", str(folder / "app.py"), *_flags(settings), ADDRESS, address]
    if limits is not None:
        words += ["--server.maxUploadSize", str(limits.upload)]
    words += [] if port is None else ["--server.port", str(port)]
    return [*words, *others]


def _flags(settings: dict[str, Any], section: str = "") -> list[str]:
    words = []
    for name, value in settings.items():
        if isinstance(value, dict):
            words += _flags(value, f"{section}{name}.")
            continue
        for item in value if isinstance(value, list) else [value]:
            text = str(item).lower() if isinstance(item, bool) else str(item)
            words += [f"--{section}{name}", text]
    return words
