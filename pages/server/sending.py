"""Of what a run of the script says, the browser is told only what is new.

Streamlit runs the whole script after every move and sends every element again, some hundred, in
pieces, as they come; for each piece the browser draws the whole page, which takes longer than the
computation. So what a short run says is held until it has ended, and laid beside what the run
before had said. Where the page has the same parts, those that changed are sent alone, without the
messages about the run itself but the last, and the browser leaves all else as it is. In any other
case, and where a run takes longer, all is sent.
"""

import time
from dataclasses import dataclass, field
from typing import Any

HELD = 0.4  # seconds; what a longer run says is sent as it comes
OF_RUN = {"new_session", "session_status_changed", "script_finished"}
OF_PAGE = {"page_config_changed", "navigation", "delta"}
ADDRESS = "page_info_changed"
# To what a browser asks beside runs: the next run to begin clears what still waits.
ANSWERS = {"heartbeat_ack", "file_urls_response", "backend_operation_response"}
BLOCK = "block"
# Runs after which all is sent, so that nothing that went astray in the browser stays for long.
MOST_IN_A_ROW = 20
ONCE = {"dialog", "toast", "balloons", "snow"}  # shown when told, and gone without a word
# The browser looks at the end of a run to settle what was typed.
TYPED = {"text_input", "text_area", "number_input", "chat_input"}


@dataclass(frozen=True)
class Part:
    """A part of the page: its kind, a mark of what was said of it, and the widget's name.

    ``value`` is what the script sets a widget to, None where it leaves that to the browser.
    """

    kind: str
    mark: tuple[str, str]
    widget: str = ""
    value: tuple[Any, ...] | None = None


Place = tuple[Any, ...]


@dataclass
class Sent:
    """What a browser has: the parts of its page after a whole run; None where that is unknown."""

    page: dict[Place, Part] | None = None
    under_way: dict[Place, Part] | None = None
    in_a_row: int = 0
    begun: tuple[Any, float] = (None, 0.0)
    values: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)

    def hear(self, states: Any, by_history: bool) -> None:
        """Note which widgets were moved, by what the browser reports when it asks for a run.

        One that the script sets back must be told so, though it was told the same before. What is
        said while a run is under way counts for that and for the next. After Back all is sent: the
        browser waits for the end of that run.
        """
        for state in states:
            value = _reported(state)
            if self.values.get(state.id) != value:
                self.moved[state.id] = 2 if state.id in self.values else 1
                self.values[state.id] = value
        if by_history:
            self.moved["history"] = 2

    def hold(self, queue: list[Any]) -> float | None:
        """Whether to hold what is queued while the script runs: None, or seconds from now.

        The first call for a run gives the time after which to ask again, later ones 0.
        """
        start = next((m for m in reversed(queue) if m.HasField("new_session")), None)
        if start is None or any(m.WhichOneof("type") in ANSWERS for m in queue):
            return None  # it is being sent as it comes, or somebody waits for an answer
        now = time.monotonic()
        if self.begun[0] is not start:
            self.begun = (start, now)
            return HELD
        return 0.0 if now - self.begun[1] < HELD else None

    def reduce(self, messages: list[Any]) -> list[Any]:
        """Those of ``messages`` that the browser has to be told; all, unless they are one run."""
        before, moved, places = self.page, self.moved, [_place(m) for m in messages]
        self._note(messages, places)
        now = self.page
        if now is None or not _one_run(messages, places):
            return messages
        self.moved = {name: n - 1 for name, n in moved.items() if n > 1}
        in_a_row, self.in_a_row = self.in_a_row, 0
        if before is None or before.keys() != now.keys() or "history" in moved:
            return messages
        new = {
            p
            for p, part in now.items()
            if part.mark != before[p].mark or part.widget in moved or self._set_back(part)
        }
        kinds = {part.kind for p in new for part in (now[p], before[p])}
        typed = any(part.kind in TYPED and part.widget in moved for part in now.values())
        # Of a widget that is gone the browser reports the value until it hears of a run's end.
        gone = {before[p].widget for p in new} - {part.widget for part in now.values()} - {""}
        if typed or gone or kinds & {BLOCK, *OF_PAGE} or in_a_row == MOST_IN_A_ROW:
            return messages
        self.in_a_row = in_a_row + 1
        told = [
            m
            for m, place in zip(messages, places, strict=True)
            if m.WhichOneof("type") not in OF_RUN | OF_PAGE or place in new
        ]
        return told + messages[-1:]

    def _set_back(self, part: Part) -> bool:
        """Whether the script sets a widget to another value than the browser has reported."""
        return part.value is not None and self.values.get(part.widget, part.value) != part.value

    def _note(self, messages: list[Any], places: list[Place | None]) -> None:
        """Remember the parts of whole runs; after anything else the page is not known."""
        for message, place in zip(messages, places, strict=True):
            kind = message.WhichOneof("type")
            if kind == "new_session":
                self.page = None
                self.under_way = None if message.metadata.run.fragment_ids else {}
            if kind not in OF_RUN | OF_PAGE | {ADDRESS}:
                self.under_way = None
            if place is not None and self.under_way is not None:
                part = self.under_way[place] = _part(message)
                if _shown_once(message):
                    self.under_way = None
                elif part.kind != BLOCK:  # what stood there, with all in it, is gone
                    for old in [p for p in self.under_way if p[: len(place)] == place != p]:
                        del self.under_way[old]
            if kind == "script_finished":
                good = message.script_finished == message.FINISHED_SUCCESSFULLY
                self.page, self.under_way = (self.under_way if good else None), None


def _one_run(messages: list[Any], places: list[Place | None]) -> bool:
    """Whether all that is said of the page is said by one run, and to its end.

    Of a run that was cut short by the next Streamlit may keep what it said of itself.
    """
    begins = [k for k, m in enumerate(messages) if m.HasField("new_session")]
    before = places[: begins[-1]] if begins else places
    return bool(begins) and not any(before) and _at_rest(messages[-1])


def _at_rest(message: Any) -> bool:
    """Whether the script is said to be at rest, from which one can tell that all was said."""
    status = message.HasField("session_status_changed")
    return bool(status and not message.session_status_changed.script_is_running)


def _shown_once(message: Any) -> bool:
    """Whether it must be told again even if it was told the same before."""
    inner = message.delta.add_block, message.delta.new_element
    return any(made.WhichOneof("type") in ONCE for made in inner)


def _place(message: Any) -> Place | None:
    """Where on the page a message belongs; what lasts no longer than the run has no place."""
    kind = message.WhichOneof("type")
    if kind not in OF_PAGE or message.delta.WhichOneof("type") == "new_transient":
        return None
    return tuple(message.metadata.delta_path) if kind == "delta" else (kind,)


def _reported(state: Any) -> tuple[Any, ...]:
    """What a widget is at, as the browser reports it; nothing where nothing is chosen."""
    kind = state.WhichOneof("value")
    value = getattr(state, kind) if kind else ()
    if isinstance(value, (bool, int, float, str)):
        return (value,)
    if not kind or kind.endswith("_array_value"):
        return tuple(getattr(value, "data", ()))
    return (state.SerializeToString(deterministic=True),)


def _set_to(made: Any) -> tuple[Any, ...] | None:
    """The same as the script sets it; None where it does not."""
    if not getattr(made, "set_value", False):
        return None
    texts = getattr(made, "raw_values", None) or getattr(made, "raw_value", None)
    value: Any = texts or getattr(made, "value", ())
    return (value,) if isinstance(value, (bool, int, float, str)) else tuple(value)


def _part(message: Any) -> Part:
    kind, widget, where = message.WhichOneof("type"), "", message.metadata
    value = None
    if kind == "delta":
        kind = BLOCK
        if message.delta.WhichOneof("type") == "new_element":
            element = message.delta.new_element
            kind = element.WhichOneof("type") or "empty"
            made = getattr(element, kind)
            widget, value = getattr(made, "id", ""), _set_to(made)
    return Part(kind, (message.hash, where.active_script_hash), widget, value)
