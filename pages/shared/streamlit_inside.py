"""What the app uses of Streamlit's inside, which may change from one version to the next.

Nothing else imports from `streamlit.runtime`; the look of the page, which goes by Streamlit's test
ids, is in `style.css`. At each name stands what breaks when it changes. Run as a script, this file
starts the server: see `start`.
"""

import runpy
from typing import Any

from starlette.middleware import Middleware
from streamlit import net_util
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.web.server.starlette import starlette_app

__all__ = ["StopException", "UploadedFile", "start", "take_back_stop", "went_back"]
# What a browser lets a page of ours do: pictures and questions from this server alone, whatever a
# name in a file says, and no frame of another site around it.
HEADERS = {
    "content-security-policy": "img-src 'self' data: blob:; media-src 'self' data: blob:;"
    " connect-src 'self' ws: wss: data: blob:; font-src 'self' data:; object-src 'none';"
    " base-uri 'self'; form-action 'self'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
# StopException is what Streamlit's own Stop raises: without it a stopped page stays half drawn.
# UploadedFile is only a type.


def went_back() -> bool:
    """Whether the browser's Back or Forward asked for this run of the script.

    If the name goes, False: Back then changes the address but not the settings.
    """
    return getattr(get_script_run_ctx(), "is_history_navigation", False)


def take_back_stop() -> bool:
    """After Streamlit's Stop let the script draw again; False where there is no browser.

    If the names go, an AttributeError: a stopped page then stays half drawn.
    """
    context = get_script_run_ctx()
    if context is None or context.script_requests is None:
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
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


class Headers:
    """Adds `HEADERS` to every answer."""

    def __init__(self, app: Any):
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_more(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        await self.app(scope, receive, send_more if scope["type"] == "http" else send)


def _say_nothing_to_others() -> None:
    """No question to a host outside, and no answer about the server to whoever asks.

    If the names go, `/_stcore/metrics` tells everybody of sessions and memory, a start with
    `--server.headless` on all addresses asks a host on the internet for its own, and `HEADERS` are
    not sent.
    """

    def no_routes(runtime: Any, base_url: str | None) -> list[Any]:
        return []

    original = starlette_app.create_streamlit_middleware
    starlette_app.create_streamlit_middleware = lambda: [Middleware(Headers), *original()]
    starlette_app.create_metrics_routes = no_routes
    net_util.get_external_ip = lambda: None


if __name__ == "__main__":
    start()
