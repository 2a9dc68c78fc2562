"""One thread for all that takes long, so that the server goes on answering."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from queue import LifoQueue
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")


class Worker:
    """Does what it is asked, one thing after the other: solutions need no locks of their own.

    The newest comes first, as it is what a person is looking at by now. The thread ends with the
    program, also in the midst of a solve.
    """

    def __init__(self) -> None:
        self._waiting: LifoQueue[tuple[Future[Any], Callable[[], Any]]] = LifoQueue()
        Thread(target=self._work, name="gops-lab worker", daemon=True).start()

    async def do(self, task: Callable[[], T]) -> T:
        """Return what a task returns, or raise what it raises, when its turn has come."""
        future: Future[T] = Future()
        self._waiting.put((future, task))
        return await asyncio.wrap_future(future)

    def _work(self) -> None:
        while True:
            future, task = self._waiting.get()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(task())
            except BaseException as error:
                future.set_exception(error)
