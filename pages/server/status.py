"""How the server is, for whoever runs it: version, uptime, sessions, memory, queue, refusals."""

import gc
import hmac
import json
import os
import time
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

from pages.server import log
from pages.server.turns import TURNS
from sdsc_core._version import __version__
from sdsc_core.cli.paths import TOKEN_VARIABLE
from sdsc_core.memory import BUDGET, available_memory

HERE = ("127.0.0.1", "::1")
HERE_NAMES = ("127.0.0.1", "[::1]", "localhost")
PASSED_ON = ("x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via")
_begun = time.time()


def allowed(client: str, headers: Mapping[str, str]) -> bool:
    """Whether a request comes from this machine itself, or has the token of `--status-token`.

    What a proxy on this machine passes on comes from it too, but names another host.
    """
    token = os.environ.get(TOKEN_VARIABLE, "")
    given = headers.get("authorization", "").removeprefix("Bearer ")
    if token and hmac.compare_digest(given.encode(), token.encode()):
        return True
    host = headers.get("host", "")
    host = host.rpartition(":")[0] if not host.endswith("]") and ":" in host else host
    passed_on = any(name in headers for name in PASSED_ON)
    return client in HERE and host in HERE_NAMES and not passed_on


def answer(
    client: str, headers: Mapping[str, str], active: int, waiting: int, objects: bool = False
) -> tuple[int, str, str]:
    """Code, type and text of an answer: JSON, or a page where a browser asks."""
    if not allowed(client, headers):
        return 403, "text/plain", "The status is for whoever runs this server.\n"
    found = figures(active, waiting)
    if objects:
        found["objects"] = len(gc.get_objects())
    if "text/html" in headers.get("accept", ""):
        return 200, "text/html", as_page(found)
    return 200, "application/json", json.dumps(found, indent=2) + "\n"


def figures(active: int, waiting: int) -> dict[str, Any]:
    """All figures, in bytes and seconds."""
    return {
        "version": __version__,
        "uptime_seconds": round(time.time() - _begun),
        "sessions": {"open": active, "lost_but_kept": waiting, "with_account": _accounts()},
        "memory": {
            "kept_by_sessions": BUDGET.kept(),
            "granted_to_stages": BUDGET.granted(),
            "limit_of_a_session": BUDGET.session,
            "limit_of_all_sessions": BUDGET.server,
            "available": available_memory(),
            "resident": _resident(),
        },
        "queue": {"at_work": len(TURNS.running), "waiting": len(TURNS.waiting)},
        "counts": {kind: log.counts[kind] for kind in ("run", "upload", "refusal", "error")},
        "last_refusals": [
            {"at": _clock(r.at), "session": r.session, "what": r.what, "why": r.why}
            for r in reversed(log.refusals)
        ],
    }


def as_page(found: Mapping[str, Any]) -> str:
    """The figures as a page without scripts."""
    rows = []
    for name, value in found.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        for part, figure in parts:
            title = " ".join([name, part]).replace("_", " ").strip()
            if isinstance(figure, list):
                texts = [" · ".join(map(str, line.values())) for line in figure]
                shown = "<br>".join(map(escape, texts)) or "none"
            else:
                shown = escape(f"{figure:,}" if isinstance(figure, int) else str(figure))
            rows.append(f"<tr><th>{escape(title)}</th><td>{shown}</td></tr>")
    return (
        "<!doctype html><meta charset=utf-8><title>SDSC Explorer: status</title>"
        "<style>body{font-family:sans-serif}th{text-align:left;padding-right:2em;"
        "vertical-align:top;font-weight:normal}</style>"
        f"<h1>SDSC Explorer</h1><table>{''.join(rows)}</table>\n"
    )


def _accounts() -> int:
    return len(BUDGET.accounts)


def _resident() -> int | None:
    """Bytes of the process in memory, where the system tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")


def _clock(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at))
