"""The page on this machine: a server on 127.0.0.1 that runs until Ctrl-C."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from urllib.parse import quote

from gops_lab.errors import ArgumentError, MissingExtraError
from gops_lab.web.opponents import Opponents
from gops_lab.web.solutions import Solutions
from gops_lab.web.worker import Worker

HERE = "127.0.0.1"
"""The only address that is served: this machine's own."""

PATIENCE = 2
"""Seconds that answers under way have left once the server is stopped."""

LONGEST_HEAD = 16 * 1024
"""Most bytes of a request's first line and headers."""


def serve(
    solutions: Solutions,
    opponents: Opponents,
    first: str,
    *,
    port: int = 0,
    browser: bool = True,
    announce: Callable[[str], None],
) -> None:
    """Serve the page until it is stopped with Ctrl-C.

    Parameters
    ----------
    solutions : Solutions
    opponents : Opponents
    first : str
        Link of the position that is shown first.
    port : int
        0: any that is free.
    browser : bool
        Whether a browser is opened.
    announce : callable
        Told the address, once it answers.

    Raises
    ------
    MissingExtraError
        If Starlette or uvicorn is not installed.
    ArgumentError
        If the port is not free.
    """
    try:
        import uvicorn

        from gops_lab.web.application import application
    except ImportError:
        raise MissingExtraError(
            "Starlette and uvicorn are not installed; pip install 'gops-lab[explore]' brings them"
        ) from None
    worker = Worker()

    class Server(uvicorn.Server):
        """Does not wait for what is still being solved when it is stopped."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            super().handle_exit(sig, frame)
            worker.stop()

    with _listening(port) as listening:
        port = listening.getsockname()[1]
        address = f"http://{HERE}:{port}/"
        config = uvicorn.Config(
            application(port, solutions, opponents, first, worker),
            http="h11", ws="none", lifespan="off", loop="asyncio", log_level="error",
            server_header=False, h11_max_incomplete_event_size=LONGEST_HEAD,
            timeout_graceful_shutdown=PATIENCE,
        )
        announce(address)
        if browser:
            # What comes before the server runs waits for it.
            webbrowser.open(f"{address}#{quote(first, safe='=&:,/+')}")
        with suppress(KeyboardInterrupt):  # which is how it is meant to be stopped
            Server(config).run(sockets=[listening])


def _listening(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HERE, port))
        listening.listen(128)
    except (OSError, OverflowError) as error:
        listening.close()
        raise ArgumentError(f"port {port} cannot be used: {error}") from None
    return listening
