"""Of what a run of the script says, the browser is told only what is new.

Streamlit runs the whole script after every move and sends every element again, some hundred, in
pieces, as they come; for each piece the browser draws the whole page, which takes longer than the
computation. So what a short run says is held until it has ended, and laid beside what the run
before had said. Where the page has the same parts, those that changed are sent alone, without the
messages about the run itself, and the browser leaves all else as it is. In any other case, and
where a run takes longer, all is sent.
"""

import time
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

HELD = 0.4  # seconds; what a longer run says is sent as it comes
OF_RUN = {"new_session", "session_status_changed", "script_finished"}
OF_PAGE = {"page_config_changed", "navigation", "delta"}
ADDRESS = "page_info_changed"  # always sent
# The browser looks at the end of a run to settle what was typed.
TYPED = {"text_input", "text_area", "number_input", "chat_input"}


@dataclass(frozen=True)
class Part:
    """A part of the page: its place, a digest of what was said of it, and the widget's name."""

    place: tuple[Any, ...]
    digest: bytes
    widget: str = ""


@dataclass
class Sent:
    """What a browser has: the parts of its page after a whole run; None where that is unknown."""

    page: list[Part] | None = None
    under_way: list[Part] | None = None
    begun: tuple[Any, float] = (None, 0.0)
    values: dict[str, bytes] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)

    def hear(self, states: Any, by_history: bool) -> None:
        """Note which widgets were moved, by what the browser reports when it asks for a run.

        One that the script sets back must be told so, though it was told the same before. What is
        said while a run is under way counts for that and for the next. After Back all is sent: the
        browser waits for the end of that run.
        """
        for state in states:
            value = state.SerializeToString(deterministic=True)
            if self.values.get(state.id) != value:
                self.values[state.id], self.moved[state.id] = value, 2
        if by_history:
            self.moved["history"] = 2

    def hold(self, queue: list[Any]) -> float | None:
        """Whether to hold what is queued while the script runs: None, or seconds from now.

        The first call for a run gives the time after which to ask again, later ones 0.
        """
        start = next((m for m in reversed(queue) if m.HasField("new_session")), None)
        if start is None:
            return None  # it is being sent as it comes
        now = time.monotonic()
        if self.begun[0] is not start:
            self.begun = (start, now)
            return HELD
        return 0.0 if now - self.begun[1] < HELD else None

    def reduce(self, messages: list[Any]) -> list[Any]:
        """Those of ``messages`` that the browser has to be told; all, unless they are one run."""
        before, parts = self.page, [_part(m) for m in messages]
        self._note(messages, parts)
        now, moved = self.page, self.moved
        if now is None or [part for part in parts if part is not None] != now:
            return messages  # a run that has not ended, or more than one
        self.moved = {name: n - 1 for name, n in moved.items() if n > 1}
        if before is None or [p.place for p in before] != [p.place for p in now]:
            return messages
        new = {p.place for p, was in zip(now, before, strict=True) if p != was or p.widget in moved}
        typed = any(p.widget in moved and p.place[0] in TYPED for p in now)
        if typed or "history" in moved or any(place[0] in ("block", *OF_PAGE) for place in new):
            return messages
        return [
            m
            for m, part in zip(messages, parts, strict=True)
            if (m.HasField(ADDRESS) if part is None else part.place in new)
        ]

    def _note(self, messages: list[Any], parts: list[Part | None]) -> None:
        """Remember the parts of whole runs; after anything else the page is not known."""
        for message, part in zip(messages, parts, strict=True):
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.page = None
                self.under_way = None if message.metadata.run.fragment_ids else []
            if kind not in OF_RUN | OF_PAGE | {ADDRESS}:
                self.under_way = None
            if part is not None and self.under_way is not None:
                self.under_way.append(part)
            if kind == "script_finished":
                good = message.script_finished == message.FINISHED_SUCCESSFULLY
                self.page, self.under_way = (self.under_way if good else None), None


def _part(message: Any) -> Part | None:
    """The part of the page that a message is about, if it is about one."""
    kind = message.WhichOneof("type")
    if kind not in OF_PAGE:
        return None
    place, widget = (kind,), ""
    if kind == "delta":
        kind = "block"
        if message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            kind = element.WhichOneof("type") or "empty"
            widget = getattr(getattr(element, kind), "id", "")
        place = (kind, *message.metadata.delta_path)
    return Part(place, blake2b(message.SerializeToString(deterministic=True)).digest(), widget)
