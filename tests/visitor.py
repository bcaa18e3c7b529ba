"""A visitor of the app without a browser: speaks Streamlit's WebSocket protocol itself.

Cheap enough that one process plays a class. It hears all that a browser would, notes errors that a
page would show, and every mark of a data set: whatever matches MARK in any message.
"""

import asyncio
import re
import ssl
import time
import urllib.request
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import connect

MARK = re.compile(rb"mark-(\d+)-")
LARGE = 200_000  # bytes of a message that is looked through for marks alone: a picture
PATIENCE = 120.0  # seconds for an answer
FAULT = "a fault in the program"  # of ours, which the app says instead of a trace
DONE = ("FINISHED_SUCCESSFULLY", "FINISHED_FRAGMENT_RUN_SUCCESSFULLY")


def play(story: Coroutine[Any, Any, Any]) -> Any:
    """Run a story to its end, in a thread of its own: Playwright keeps a loop in the tests'."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, story).result()


class Visitor:
    """One tab: ``async with Visitor(url) as tab: seconds = await tab.open("data=faces")``.

    ``problems`` are exceptions that the page shows, ``marks`` what stood in any message,
    ``texts`` the warnings, errors and headings that are on the page now.
    """

    def __init__(self, url: str, trust: ssl.SSLContext | None = None):
        self.url, self.query, self.page, self.trust = url, "", "", trust
        self.pages: dict[str, str] = {}  # hash by path
        self.widgets: dict[str, tuple[str, str, Any]] = {}  # by key: id, fragment, element
        self.states: dict[str, WidgetState] = {}
        self.problems: list[str] = []
        self.marks: set[int] = set()
        self.said: dict[tuple[int, ...], str] = {}  # by place
        self.session, self.status, self.whole = "", "", False
        self.handshake = 0.0  # seconds until the line stood
        self.hashes: set[str] = set()  # of what was told, which a browser may keep
        self.by_mark = 0  # messages that were told by such a mark alone

    @property
    def texts(self) -> list[str]:
        return list(self.said.values())

    async def __aenter__(self) -> "Visitor":
        address, begun = self.url.replace("http", "ws", 1) + "/_stcore/stream", time.monotonic()
        self.line = await connect(
            address, subprotocols=["streamlit"], max_size=None, compression=None,
            ping_interval=None, ssl=self.trust, open_timeout=PATIENCE,
        )  # fmt: skip
        self.handshake = time.monotonic() - begun
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self, code: int = 1001) -> None:
        """As a closed tab does; another code, or none, stands for a broken line."""
        await self.line.close(code)

    async def open(self, query: str = "", page: str = "") -> float:
        """Come by an address, or go to another screen; seconds until it stands.

        In a session that is open an address is gone to as Back does it, which sets all settings.
        """
        begun = time.perf_counter()
        await self.begin(query, page)
        await self.finished()
        return time.perf_counter() - begun

    async def begin(self, query: str = "", page: str = "") -> None:
        """As `open`, without waiting for the answer."""
        back = bool(query and self.session)
        self.query, self.states = query or self.query, {}
        self.page = self.pages.get(page, "")
        await self._rerun(page_name="" if self.page else page, back=back)

    async def move(self, key: str, value: Any) -> float:
        """Set a widget by its key, to a number, a text or a list of places; seconds."""
        begun = time.perf_counter()
        await self.set(key, value)
        await self.finished()
        return time.perf_counter() - begun

    async def set(self, key: str, value: Any) -> None:
        """As `move`, without waiting for the answer."""
        name, fragment, element = self.widgets[key]
        state = WidgetState(id=name)
        kind = type(element).DESCRIPTOR.name
        if kind == "Slider":
            state.double_array_value.data.append(float(value))
        elif kind == "Button":
            state.trigger_value = True
        elif kind == "NumberInput":
            state.double_value = float(value)
        elif kind == "ButtonGroup":  # sends what it shows
            shown = [o.content for o in element.options]
            state.string_array_value.data.append(next(o for o in shown if o.startswith(str(value))))
        else:
            state.string_value = str(value)
        await self._rerun(state, fragment=fragment)
        if kind != "Button":
            self.states[name] = state

    async def upload(self, name: str, data: bytes, key: str = "upload") -> float:
        """Give a file to the uploader of the Data screen; seconds until it is taken in."""
        begun = time.perf_counter()
        widget, fragment, _ = self.widgets[key]
        ask = BackMsg()
        ask.file_urls_request.request_id = "one"
        ask.file_urls_request.file_names.append(name)
        ask.file_urls_request.session_id = self.session
        await self.line.send(ask.SerializeToString())
        while True:
            message = await self._next()
            if message is not None and message.WhichOneof("type") == "file_urls_response":
                urls = message.file_urls_response.file_urls[0]
                break
        await asyncio.to_thread(self._put, urls.upload_url, name, data)
        state = WidgetState(id=widget)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.name, info.size, info.file_id = name, len(data), urls.file_id
        info.file_urls.CopyFrom(urls)
        await self._rerun(state, fragment=fragment)
        self.states[widget] = state
        await self.finished()
        return time.perf_counter() - begun

    def _put(self, path: str, name: str, data: bytes) -> None:
        health = f"{self.url}/_stcore/health"
        with urllib.request.urlopen(health, timeout=60, context=self.trust) as reply:
            cookies = reply.headers.get_all("Set-Cookie") or []
        token = next((c.split(";")[0] for c in cookies if "xsrf" in c), "=")
        edge = "fileOfAVisitor"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="f"; filename="{name}"\r\n'
        body = f"{head}Content-Type: application/octet-stream\r\n\r\n".encode() + data
        request = urllib.request.Request(
            f"{self.url}{path}", body + f"\r\n--{edge}--\r\n".encode(), method="PUT"
        )
        request.add_header("Content-Type", f"multipart/form-data; boundary={edge}")
        request.add_header("Cookie", token)
        request.add_header("X-Xsrftoken", token.partition("=")[2].strip('"'))
        urllib.request.urlopen(request, timeout=60, context=self.trust).close()

    async def _rerun(
        self,
        changed: WidgetState | None = None,
        fragment: str = "",
        page_name: str = "",
        back: bool = False,
    ) -> None:
        message = BackMsg()
        asked = message.rerun_script
        asked.query_string, asked.page_script_hash = self.query, self.page
        asked.page_name, asked.fragment_id = page_name, fragment
        asked.is_history_navigation = back
        asked.cached_message_hashes.extend(self.hashes)
        states = self.states | ({changed.id: changed} if changed else {})
        asked.widget_states.widgets.extend(states.values())
        self.whole, self.status = False, ""
        await self.line.send(message.SerializeToString())

    async def stop(self) -> None:
        """Streamlit's own Stop."""
        await self.line.send(BackMsg(stop_script=True).SerializeToString())

    async def finished(self, patience: float = PATIENCE) -> None:
        """Wait until the run that was asked for has ended, whatever reruns it took.

        Where only what is new was sent, the run itself is not spoken of.
        """
        async with asyncio.timeout(patience):
            while True:
                message = await self._next()
                if message is None or message.WhichOneof("type") != "session_status_changed":
                    continue
                at_rest = not message.session_status_changed.script_is_running
                if at_rest and (not self.whole or self.status in DONE):
                    return
                if at_rest and self.status == "FINISHED_WITH_COMPILE_ERROR":
                    self.problems.append(self.status)
                    return

    async def seen(self, text: str, patience: float = PATIENCE) -> float:
        """Wait until a text stands in a message that is not large; seconds."""
        begun = time.perf_counter()
        async with asyncio.timeout(patience):
            while True:
                raw = await self._receive()
                if len(raw) < LARGE and text.encode() in raw:
                    return time.perf_counter() - begun

    async def _receive(self) -> bytes:
        raw = await self.line.recv()
        assert isinstance(raw, bytes)
        self.marks |= {int(m) for m in MARK.findall(raw)}
        self.last = self._take(raw) if len(raw) < LARGE else None
        return raw

    async def _next(self) -> Any:
        await self._receive()
        return self.last

    def _take(self, raw: bytes) -> Any:
        message = ForwardMsg()
        message.ParseFromString(raw)
        kind = message.WhichOneof("type")
        self.hashes |= {message.hash} - {""}
        self.by_mark += kind == "ref_hash"
        if kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
            self.whole = True
            if not message.metadata.run.fragment_ids:
                self.widgets, self.said = {}, {}
        elif kind == "script_finished":
            self.status = ForwardMsg.ScriptFinishedStatus.Name(message.script_finished)
        elif kind == "navigation":
            self.pages = {p.url_pathname: p.page_script_hash for p in message.navigation.app_pages}
            self.page = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
            place = tuple(message.metadata.delta_path)
            self._element(message.delta.new_element, message.delta.fragment_id, place)
        return message

    def _element(self, element: Any, fragment: str, place: tuple[int, ...]) -> None:
        kind = element.WhichOneof("type")
        inner = getattr(element, kind)
        self.said.pop(place, None)
        if kind == "exception":
            self.problems.append(f"{inner.type}: {inner.message}")
        elif kind in ("alert", "markdown", "heading"):
            self.said[place] = inner.body
            if FAULT in inner.body:
                self.problems.append(inner.body)
        name = getattr(inner, "id", "")
        if name.startswith("$$ID-"):
            self.widgets[name.split("-", 2)[2]] = (name, fragment, inner)


def address(**settings: Any) -> str:
    """The query of an address."""
    return urlencode(settings)
