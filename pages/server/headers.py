"""What stands around every answer of the server, and how a browser ended its line to it."""

from contextvars import ContextVar
from typing import Any

# What a browser lets a page of ours do: pictures and questions from this server alone, whatever a
# name in a file says, and no frame of another site around it.
HEADERS = {
    "content-security-policy": "img-src 'self' data: blob:; media-src 'self' data: blob:;"
    " connect-src 'self' ws: wss: data: blob:; font-src 'self' data:; object-src 'none';"
    " base-uri 'self'; form-action 'self'; frame-ancestors 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
}
LEFT, LOST = (1000, 1001), 1006  # codes of WebSocket: the tab was closed or left; the line broke
_closed_by: ContextVar[int] = ContextVar("closed by", default=LOST)


def tab_was_left() -> bool:
    """Whether the tab, whose line just ended, was closed or left; else the line broke."""
    return _closed_by.get() in LEFT


class Headers:
    """Adds `HEADERS` to every answer, and notes how a browser closed its line."""

    def __init__(self, app: Any):
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        async def send_more(message: Any) -> None:
            if message["type"] == "http.response.start":
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", []), *more]
            await send(message)

        async def receive_and_note() -> Any:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                _closed_by.set(message.get("code", LOST))
            return message

        if scope["type"] == "websocket":
            await self.app(scope, receive_and_note, send)
        else:
            await self.app(scope, receive, send_more if scope["type"] == "http" else send)
