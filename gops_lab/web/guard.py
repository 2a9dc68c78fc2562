"""What a request must be like before anybody reads it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

LONGEST_QUERY = 8000
"""Most bytes of a query, percent signs included."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""What a browser may load and run: what this server sends, and nothing else."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class Guard:
    """Lets requests through that this machine's own page made, and refuses all others.

    A page elsewhere on the web can have a browser ask 127.0.0.1, under a name of its own
    (``Host``) or as another site (``Origin``, ``Sec-Fetch-Site``); both are refused. Only a link
    that a person followed may come from another site, and only to the page itself.

    Parameters
    ----------
    application : ASGI application
    port : int
        Where it is served.
    """

    def __init__(self, application: Application, port: int) -> None:
        self._application = application
        self._hosts = {f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self._hosts |= {b"127.0.0.1", b"localhost"}
        self._origins = {b"http://" + host for host in self._hosts}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                extra = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]
                message["headers"] = [*message.get("headers", ()), *extra]
            await send(message)

        refused = self._refusal(scope)
        if refused is None:
            await self._application(scope, receive, send_with_headers)
            return
        status, sentence = refused
        await send_with_headers(
            {
                "type": "http.response.start", "status": status,
                "headers": [(b"content-type", b"text/plain; charset=utf-8")],
            }
        )
        await send({"type": "http.response.body", "body": sentence.encode()})

    def _refusal(self, scope: Message) -> tuple[int, str] | None:
        """Return status and sentence, if a request is not to be answered."""
        headers: dict[bytes, list[bytes]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name, []).append(value)
        if len(headers.get(b"host", ())) != 1 or headers[b"host"][0] not in self._hosts:
            return 400, "this is not the Host that is served here"
        if any(origin not in self._origins for origin in headers.get(b"origin", ())):
            return 403, "only the page served here may ask"
        sites = headers.get(b"sec-fetch-site", [])
        followed = headers.get(b"sec-fetch-mode") == [b"navigate"] and scope["path"] == "/"
        if any(site not in (b"same-origin", b"none") for site in sites) and not followed:
            return 403, "only the page served here may ask"
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "only GET is answered"
        if len(scope["query_string"]) > LONGEST_QUERY:
            return 414, f"a query has at most {LONGEST_QUERY} bytes"
        return None
