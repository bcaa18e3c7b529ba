"""``sdsc status``: how a server of the app on this machine is."""

import argparse
import json
import os
import urllib.error
import urllib.request
from typing import Any

from sdsc_core.cli.paths import TOKEN_VARIABLE

PORT = 8501
TIMEOUT = 10  # seconds


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which server, and how it is shown."""
    add = parser.add_argument
    add("--port", type=int, default=PORT, help=f"port of the server, {PORT} by default")
    add("--url", help="address of a server elsewhere, which asks for the token")
    add("--json", action="store_true", help="as the server gives it")
    parser.epilog = f"The token of sdsc app --status-token is read from {TOKEN_VARIABLE}."
    parser.set_defaults(run=_status)


def _status(options: argparse.Namespace) -> None:
    url = (options.url or f"http://127.0.0.1:{options.port}").rstrip("/")
    if not url.startswith(("http://", "https://")):
        raise ValueError(f"--url is {url!r}; give an address that begins with http:// or https://.")
    request = urllib.request.Request(f"{url}/_stcore/status")
    token = os.environ.get(TOKEN_VARIABLE)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
            found = json.load(reply)
    except urllib.error.HTTPError as error:
        raise ValueError(
            f"{url} answers {error.code}: {error.read(200).decode().strip()}"
        ) from None
    except (OSError, json.JSONDecodeError) as error:
        raise ValueError(f"No server of the app answers at {url} ({error}).") from None
    print(json.dumps(found, indent=2) if options.json else as_text(found))


def as_text(found: dict[str, Any]) -> str:
    """A line for each figure; bytes in MB.

    >>> print(as_text({"version": "1.0", "memory": {"kept": 2_500_000}, "last_refusals": []}))
    version: 1.0
    memory kept: 2.5 MB
    """
    lines = []
    for name, value in found.items():
        if isinstance(value, list):
            lines += [
                f"{name.replace('_', ' ')}: {' · '.join(map(str, v.values()))}" for v in value
            ]
            continue
        for part, figure in value.items() if isinstance(value, dict) else [("", value)]:
            if name == "memory" and isinstance(figure, int):
                figure = f"{figure / 1e6:,.1f} MB"
            lines.append(f"{name} {part}".strip().replace("_", " ") + f": {figure}")
    return "\n".join(lines)
