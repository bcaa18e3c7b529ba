"""What the app uses of Streamlit's inside, which may change from one version to the next.

Nothing else imports from `streamlit.runtime`; the look of the page, which goes by Streamlit's test
ids, is in `style.css`. At each name stands what breaks when it changes. Run as a script, this file
starts the server: see `start`.
"""

import asyncio
import ctypes
import gc
import runpy
import threading
import time
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit import net_util
from streamlit.logger import get_logger
from streamlit.runtime import exists, get_instance, runtime
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.media_file_manager import MediaFileKind, MediaFileManager
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import (
    ScriptRunner,
    ScriptRunnerEvent,
    StopException,
    get_script_run_ctx,
)
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager
from streamlit.web.server.starlette import starlette_app, starlette_auth_routes
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

__all__ = ["LOGIN_FAILED", "StopException", "UploadedFile", "start", "take_back_stop", "went_back"]
LOGIN_FAILED = ("login", "failed")  # what the address says after a login that came to nothing
# Seconds that a session waits for its browser: a tab that was left never comes back to it. The
# second is below Streamlit's own `server.disconnectedSessionTTL`, after which it cannot be found.
KEPT_LEFT, KEPT_LOST = 2.0, 100.0
KEPT_PICTURE = 60.0  # seconds that a picture stays after the last run that showed it
TOGETHER = 0.02  # seconds in which messages of a script wait for each other
BETWEEN = 0.001  # seconds between two looks for messages: few are left to wait for
# StopException is what Streamlit's own Stop raises: without it a stopped page stays half drawn.
# UploadedFile is only a type.


def went_back() -> bool:
    """Whether the browser's Back or Forward asked for this run of the script.

    If the name goes, False: Back then changes the address but not the settings.
    """
    return getattr(get_script_run_ctx(), "is_history_navigation", False)


def take_back_stop() -> bool:
    """After Streamlit's Stop let the script draw again; False where there is no browser.

    A closed tab stops the script too, for good. If the names go, an AttributeError: a stopped page
    then stays half drawn.
    """
    context = get_script_run_ctx()
    if context is None or context.script_requests is None:
        return False
    if exists() and not get_instance().is_active_session(context.session_id):
        return False
    context.script_requests._state = ScriptRequestType.CONTINUE
    return True


def start() -> None:
    """`streamlit` with the arguments in sys.argv, which does not take `pages` for its own.

    Streamlit takes a folder of this name for an app without `st.navigation`, until that was called
    once. If the name goes, the first visitor of a server who comes straight to a screen sees it
    behind the words "Page not found".
    """
    PagesManager.uses_pages_directory = False
    _say_nothing_to_others()
    _say_when_nobody_logged_in()
    _count_files()
    _free_closed_sessions()
    _hand_over_together()
    _send_what_is_new()
    _keep_pictures()
    _ask_quickly()
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


def _say_nothing_to_others() -> None:
    """No question to a host outside, and no answer about the server to whoever asks.

    Instead of `/_stcore/metrics` there is `/_stcore/status`, for whoever runs the server alone. If
    the names go, the former tells everybody of sessions and memory, a start with
    `--server.headless` on all addresses asks a host on the internet for its own, and no `HEADERS`
    are sent.
    """

    def status_route(runtime: Any, base_url: str | None) -> list[Any]:
        async def status(request: Request) -> Response:
            from pages.server.status import answer  # Streamlit has made `pages` known by now

            manager = runtime._session_mgr
            active = len(manager.list_active_sessions())
            waiting = len(manager.list_sessions()) - active
            client = request.client.host if request.client else ""
            code, kind, text = answer(
                client, request.headers, active, waiting, "objects" in request.query_params
            )
            return Response(text, code, media_type=kind)

        return [Route(f"{(base_url or '').rstrip('/')}/_stcore/status", status)]

    def with_headers() -> list[Middleware]:
        from pages.server.headers import Headers  # Streamlit has made `pages` known by now

        return [Middleware(Headers), *original()]

    original = starlette_app.create_streamlit_middleware
    starlette_app.create_streamlit_middleware = with_headers
    starlette_app.create_metrics_routes = status_route
    net_util.get_external_ip = lambda: None


def _say_when_nobody_logged_in() -> None:
    """From a provider that refused Streamlit leads back without a word: the address then says so.

    If the names go, whoever was refused sees the button again and does not read why.
    """
    answer = starlette_auth_routes._auth_callback

    async def answer_and_say(request: Request, base_url: str) -> Response:
        response = await answer(request, base_url)
        cookies = response.headers.getlist("set-cookie")
        known = any(c.startswith(f"{USER_COOKIE_NAME}=") and "Max-Age=0" not in c for c in cookies)
        # From a logout the provider leads here too, with neither of the two.
        if not known and {"code", "error"} & request.query_params.keys():
            response.headers["location"] += "?" + "=".join(LOGIN_FAILED)
        return response

    starlette_auth_routes._auth_callback = answer_and_say


def _count_files() -> None:
    """A file counts as its session's from when it was sent, whether a screen takes it or not.

    A session that has no screen yet, as before a login, may send none. If the names go, whoever
    sends files by themselves fills the memory of the server.
    """
    add = MemoryUploadedFileManager.add_file

    def add_if_there_is_room(manager: Any, session_id: str, file: Any) -> None:
        from pages.server.sessions import SLOT

        active = get_instance()._session_mgr.get_active_session_info(session_id)
        state: Any = active.session.session_state if active else {}
        problem = "This session has no screen for files."
        if SLOT in state:
            problem = state[SLOT].file_refused(manager.file_storage[session_id], len(file.data))
        if problem:
            raise HTTPException(413, problem)
        add(manager, session_id, file)

    setattr(MemoryUploadedFileManager, "add_file", add_if_there_is_room)  # noqa: B010


def _free_closed_sessions() -> None:
    """What a session held is freed soon after its tab was closed.

    If the names go, Streamlit frees it when the next visitor comes, two minutes later or more.
    """
    disconnect = WebsocketSessionManager.disconnect_session

    def free(manager: WebsocketSessionManager, session_id: str) -> None:
        stored = manager._session_storage.get(session_id)
        if stored is None or manager.is_active_session(session_id):
            return  # it came back, or is gone
        manager.close_session(session_id)
        stored.session._session_state.clear()  # whoever else still knows the session
        del stored
        asyncio.get_running_loop().run_in_executor(None, return_memory)

    def disconnect_and_free(manager: WebsocketSessionManager, session_id: str) -> None:
        active = manager.get_active_session_info(session_id)
        disconnect(manager, session_id)
        if active is None:
            return
        from pages.server.headers import tab_was_left  # Streamlit has made `pages` known by now

        patience, own = KEPT_LEFT if tab_was_left() else KEPT_LOST, vars(active.session)
        if earlier := own.pop("to be freed", None):
            earlier.cancel()  # of a line that was lost before, and came back
        loop = asyncio.get_running_loop()
        own["to be freed"] = loop.call_later(patience, free, manager, session_id)

    setattr(WebsocketSessionManager, "disconnect_session", disconnect_and_free)  # noqa: B010


def _hand_over_together() -> None:
    """The script's thread wakes the server's for some messages at a time, not for each of many.

    Each time the two fight for Python's lock, which takes a tenth of a move. If the names go, it
    is woken for each.
    """
    on_event, one = AppSession._on_scriptrunner_event, ScriptRunnerEvent.ENQUEUE_FORWARD_MSG
    lock = threading.Lock()

    def take(session: AppSession, own: list[Any] | None = None) -> list[Any]:
        """What waits; nothing where that is another list than one's own, said after an event."""
        with lock:
            if own is not None and vars(session).get("waiting") is not own:
                return []
            return vars(session).pop("waiting", [])

    def hand_over(session: AppSession, messages: list[Any]) -> None:
        for sender, message in messages:
            session._handle_scriptrunner_event_on_event_loop(sender, one, message)

    def hand_over_soon(session: AppSession, own: list[Any]) -> None:
        session._event_loop.call_later(TOGETHER, lambda: hand_over(session, take(session, own)))

    def collect(session: AppSession, sender: Any, event: Any, **more: Any) -> None:
        if event is not one:  # it comes after all that was said before
            if before := take(session):
                session._call_soon_on_event_loop(lambda: hand_over(session, before))
            on_event(session, sender, event, **more)
            return
        with lock:
            waiting = vars(session).setdefault("waiting", [])
            waiting.append((sender, more["forward_msg"]))
            first = len(waiting) == 1
        if first:
            session._call_soon_on_event_loop(partial(hand_over_soon, session, waiting))

    setattr(AppSession, "_on_scriptrunner_event", collect)  # noqa: B010


def _send_what_is_new() -> None:
    """Of a short run the browser is told what changed, in one piece; see `pages.server.sending`.

    If the names go, all is sent as it comes, and a move takes about twice as long.
    """
    flush, disconnect = AppSession.flush_browser_queue, WebsocketSessionManager.disconnect_session
    handle = AppSession.handle_backmsg

    def sent_to(session: AppSession) -> Any:
        from pages.server.sending import Sent  # Streamlit has made `pages` known by now

        return vars(session).setdefault("sent", Sent())

    def hear_and_handle(session: AppSession, message: Any) -> None:
        if message.HasField("rerun_script"):
            asked = message.rerun_script
            sent_to(session).hear(asked.widget_states.widgets, asked.is_history_navigation)
        handle(session, message)

    def flush_what_is_new(session: AppSession) -> list[Any]:
        sent = sent_to(session)
        if session._state is AppSessionState.APP_IS_RUNNING:
            seconds = sent.hold(session._browser_queue._queue)
            if seconds:
                ask_again: Any = session._message_enqueued_callback
                asyncio.get_running_loop().call_later(seconds, ask_again)
            if seconds is not None:
                return []
        messages = flush(session)
        try:
            return sent.reduce(messages)
        except Exception as fault:  # it must not end the server: all is sent
            vars(session).pop("sent")
            get_logger(__name__).warning("%s in what is new", type(fault).__name__)
            return messages

    def forget_and_disconnect(manager: WebsocketSessionManager, session_id: str) -> None:
        active = manager.get_active_session_info(session_id)
        if active is not None:  # when it comes back, its browser may lack what was sent last
            vars(active.session).pop("sent", None)
        disconnect(manager, session_id)

    setattr(runtime, "MESSAGE_FLUSH_INTERVAL_SECS", BETWEEN)  # noqa: B010
    setattr(AppSession, "handle_backmsg", hear_and_handle)  # noqa: B010
    setattr(AppSession, "flush_browser_queue", flush_what_is_new)  # noqa: B010
    setattr(WebsocketSessionManager, "disconnect_session", forget_and_disconnect)  # noqa: B010


def _keep_pictures() -> None:
    """A picture stays for a while after the run that showed it.

    A click ends a run before it has shown all again, and what it has not shown Streamlit takes
    away; a browser that asks for it only now keeps a broken picture, whatever runs follow. If the
    names go, that happens again.
    """
    orphans = MediaFileManager._get_inactive_file_ids

    def old_orphans(manager: MediaFileManager) -> set[str]:
        found, now = orphans(manager), time.monotonic()
        since: dict[str, float] = vars(manager).get("orphans", {})
        since = {file: since.get(file, now) for file in found}
        setattr(manager, "orphans", since)  # noqa: B010
        kinds = manager._file_metadata
        return {
            file for file in found
            if now - since[file] > KEPT_PICTURE or kinds[file].kind is not MediaFileKind.MEDIA
        }  # fmt: skip

    setattr(MediaFileManager, "_get_inactive_file_ids", old_orphans)  # noqa: B010


def _ask_quickly() -> None:
    """Whether a run is to end is asked a thousand times in it: mostly one comparison tells.

    If the names go, Streamlit asks as it does, which takes a tenth of a move.
    """
    ask = ScriptRunner._maybe_handle_execution_control_request

    def ask_if_asked(runner: ScriptRunner) -> None:
        requests = getattr(runner, "_requests", None)
        if getattr(requests, "_state", None) is not ScriptRequestType.CONTINUE:
            ask(runner)

    setattr(ScriptRunner, "_maybe_handle_execution_control_request", ask_if_asked)  # noqa: B010


def return_memory() -> None:
    """Collect what nobody holds, and give what the allocator keeps of it back to the system."""
    gc.collect()
    with suppress(AttributeError, OSError):  # glibc alone
        ctypes.CDLL(None).malloc_trim(0)


if __name__ == "__main__":
    start()
