"""One thread for all that takes long, so that the server goes on answering."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import LifoQueue
from threading import Thread
from typing import Any, TypeVar

from gops_lab.errors import GopsError

T = TypeVar("T")


class Worker:
    """Does what it is asked, one thing after the other: solutions need no locks of their own.

    The newest comes first, as it is what a person is looking at by now. The thread ends with the
    program, also in the midst of a solve.
    """

    def __init__(self) -> None:
        self._waiting: LifoQueue[tuple[Future[Any], Callable[[], Any]]] = LifoQueue()
        self._awaited: set[asyncio.Future[Any]] = set()
        Thread(target=self._work, name="gops-lab worker", daemon=True).start()

    async def do(self, task: Callable[[], T]) -> T:
        """Return what a task returns, or raise what it raises, when its turn has come.

        Raises
        ------
        GopsError
            If the server is stopped before.
        """
        future: Future[T] = Future()
        self._waiting.put((future, task))
        awaited = asyncio.wrap_future(future)
        self._awaited.add(awaited)
        try:
            return await awaited
        except asyncio.CancelledError:
            raise GopsError("the server was stopped before this was found") from None
        finally:
            self._awaited.remove(awaited)

    def stop(self) -> None:
        """Let nobody wait any longer; called from a signal's handler, on any thread."""
        for awaited in tuple(self._awaited):
            awaited.get_loop().call_soon_threadsafe(awaited.cancel)

    def _work(self) -> None:
        while True:
            future, task = self._waiting.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(task())
            except BaseException as error:
                future.set_exception(error)
