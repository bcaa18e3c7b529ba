"""Numbers and names as text, the same on every screen."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from sdsc_core.cli.options import preparation_words, reading_words
from sdsc_core.compare.escaping import escape_markdown as escape_markdown
from sdsc_core.datasets import SAMPLES, Dataset


def escape_lines(text: str) -> str:
    """A text of several lines as it is; `escape_markdown` makes one of them."""
    return "  \n".join(escape_markdown(line) for line in text.splitlines())


def number(value: Any, digits: int = 4) -> str:
    """A number for a table: whole ones in full, a dash where there is none."""
    if value is None or np.isnan(value):
        return "–"
    if np.isinf(value):
        return "∞"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"


def signed(value: float) -> str:
    """A change, with its sign."""
    return f"{value:+,}" if isinstance(value, int) else f"{value:+.4f}".replace("inf", "∞")


def percent(share: float, digits: int = 1) -> str:
    """A share in percent."""
    return f"{100 * share:.{digits}f} %"


def small_percent(share: float) -> str:
    """A share in percent that may be tiny, with more places the smaller it is."""
    if 0 < share < 5e-6:
        return "less than 0.001 %"
    return percent(share, 3 if 0 < share < 0.001 else 1)


def duration(seconds: float) -> str:
    """What something took."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def counted(n: int, what: str) -> str:
    """A number of things: 1 sample, 2 samples."""
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def data_words(raw: Dataset, steps: Mapping[str, Any]) -> list[str]:
    """The file of the loaded data, how it was read and how it is prepared, for a command."""
    state = st.session_state
    usual = f"sample:{state.data}" if state.data in SAMPLES else state.data
    file, choices, fill = state.get("read_as", {}).get(state.data, (usual, {}, ""))
    return [file, *reading_words(choices, fill), *preparation_words(steps, raw)]
