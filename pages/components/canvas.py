"""What the components that draw in the browser share: their script, and data as one block."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np


def script(*names: str) -> str:
    """The JavaScript of a component, with the shared parts in front."""
    return "\n".join(source(f"{name}.js") for name in ("canvas", *names))


def source(name: str) -> str:
    """A file beside this one."""
    return (Path(__file__).parent / name).read_text("utf-8")


def frame(what: str, whole: str, more: str, hint: str, below: str = "") -> str:
    """The HTML of a picture: a bar of buttons, the canvas, and the words at the pointer.

    ``whole`` is what all of it is called, ``more`` are further buttons.
    """
    return f"""
<div class="bar" role="toolbar" aria-label="View of the {what}">
  <button class="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
  <button class="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
  <button class="all" title="{whole} (0 or double click)" aria-label="{whole}">⤢</button>
  <button class="save" title="Save as PNG" aria-label="Save as PNG">PNG</button>
  {more}
  <span>{hint}</span>
</div>
<div class="stage">
  <canvas role="img" tabindex="0"></canvas><div class="tip" role="status"></div>
</div>
{below}
"""


def choosing(kind: str, how: str, sign: str) -> str:
    """The HTML of a button by which points are selected."""
    return (
        f'<button class="{kind}" title="{how}" aria-label="{how}" aria-pressed="false">'
        f"{sign}</button>"
    )


def pack(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A JSON head and typed arrays behind it, each at a multiple of four bytes."""
    names = {"uint8": "u1", "uint16": "u2", "uint32": "u4", "float32": "f4"}

    def header(start: int) -> tuple[bytes, int]:
        table, offset = [], start
        for name, a in arrays.items():
            table.append([name, names[str(a.dtype)], offset, int(a.size)])
            offset += -(-a.nbytes // 4) * 4
        return json.dumps(head | {"arrays": table}).encode(), offset

    # The offsets lengthen the head that they stand in: leave room, then fill up with blanks.
    room = -(-(len(header(0)[0]) + 16 * len(arrays)) // 4) * 4
    text, end = header(4 + room)
    out = bytearray(end)
    out[:4] = np.uint32(room).tobytes()
    out[4 : 4 + room] = text.ljust(room)
    for (_, _, offset, _), a in zip(json.loads(text)["arrays"], arrays.values(), strict=True):
        out[offset : offset + a.nbytes] = a.tobytes()
    return bytes(out)


def stamp(*parts: np.ndarray | str) -> str:
    """Changes with what is drawn: a component keeps its state, and a test waits, as long as not."""
    digest = hashlib.sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part.encode() if isinstance(part, str) else part.tobytes())
    return digest.hexdigest()[:12]
