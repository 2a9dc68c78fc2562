"""Work on a Dask cluster: tasks out, small results back in order, and one sentence for what fails.

Knows nothing of games. Arguments and results pass through the scheduler, so they must be small:
whatever is large stands in files that all workers see. Dask comes with the extra ``cluster``, and
is loaded when a cluster is used.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from gops_lab.errors import ArgumentError, ClusterError, GopsError, missing

if TYPE_CHECKING:
    from distributed import Client as Client
    from distributed import Future

T = TypeVar("T")

AHEAD = 3
"""So many tasks for each thread are given out before the first of them has come back."""

RETRIES = 2
"""A task that fails is tried so often again: files on a network can fail for a moment."""

MOST_SENT = 2**22
"""Bytes that one argument of a task may have."""

CONNECT = 10.0
"""Seconds in which a scheduler must answer."""


def as_client(client: object) -> Client:
    """Return a client that can be used here.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    ArgumentError
        If it is no client, or one that is only for coroutines.
    """
    try:
        from distributed import Client
    except ImportError:
        raise missing("Dask's distributed", "cluster") from None
    if not isinstance(client, Client):
        raise ArgumentError(f"client must be a distributed.Client, not {client!r}")
    if client.asynchronous:
        raise ArgumentError("client must not be asynchronous")
    return client


@contextmanager
def connected(scheduler: str | None = None, local: int | None = None) -> Iterator[Client | None]:
    """Yield a client of the scheduler at an address, or of so many local workers, or None.

    Raises
    ------
    MissingExtraError
        If Dask is not installed.
    ClusterError
        If there is no scheduler at the address.
    """
    if scheduler is None and local is None:
        yield None
        return
    if scheduler is not None and local is not None:
        raise ArgumentError("a scheduler and a local cluster exclude each other")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise missing("Dask's distributed", "cluster") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # our errors say what is wrong
    if scheduler is None:
        with (
            LocalCluster(
                n_workers=local, threads_per_worker=1, dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            yield client
        return
    try:
        client = Client(scheduler, timeout=CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ClusterError(f"no Dask scheduler answers at {scheduler}: {error}") from error
    with client:
        yield client


def on_every_worker(client: Client, look: Callable[..., str], *arguments: Any) -> None:
    """Let every worker there is say what it lacks; "" if nothing.

    That is ``look(limit, *arguments)``, called on each with the memory it may use (see
    `memory_limit`).

    Raises
    ------
    ClusterError
        Naming the first worker that lacks something, or cannot say.
    """
    with _connection(client):
        answers = client.run(_asked, look, *arguments, on_error="return")
    for address, answer in sorted(answers.items()):
        if isinstance(answer, BaseException):
            answer = f"cannot be asked: {type(answer).__name__}: {answer}"
        if answer:
            raise ClusterError(f"worker {address} {answer}")


def threads(client: Client) -> int:
    """Return how many tasks the workers can do at the same time, at least 1.

    Raises
    ------
    ClusterError
        If the scheduler is lost.
    """
    with _connection(client):
        there: dict[str, int] = client.nthreads()
    return max(1, sum(there.values()))


def results(
    client: Client, function: Callable[..., T], tasks: Sequence[tuple[Any, ...]]
) -> Generator[T, None, None]:
    """Yield ``function(*task)`` for each task, in their order; they run on the workers.

    A task whose worker dies runs again elsewhere. Tasks that wait are called off when the generator
    is closed; those that run end by themselves, and nobody hears of them.

    Raises
    ------
    ClusterError
        If the scheduler is lost, workers die again and again, or a task fails otherwise.
    GopsError
        What a task raised, with the name of its worker.
    """
    from distributed import as_completed

    waiting = iter(enumerate(tasks))
    numbers: dict[Future, int] = {}
    done: dict[int, T] = {}
    first = 0
    try:
        with _connection(client):
            running = as_completed(loop=client.loop)
        while first < len(tasks):
            ahead = AHEAD * threads(client)
            with _connection(client):
                while len(numbers) + len(done) < ahead:
                    number, task = next(waiting, (None, ()))
                    if number is None:
                        break
                    future = client.submit(_told, function, *task, pure=False, retries=RETRIES)
                    numbers[future] = number
                    running.add(future)
                future = next(running)
                done[numbers.pop(future)] = future.result()
                del future
            while first in done:
                yield done.pop(first)
                first += 1
    finally:
        if client.status == "running":
            with suppress(Exception):
                client.cancel(list(numbers))


def check_small(name: str, value: object) -> None:
    """Refuse to send what cannot be sent, or is too large.

    Raises
    ------
    ArgumentError
        With the name given.
    """
    from distributed.protocol.pickle import dumps

    try:
        size = len(dumps(value))
    except Exception as error:
        raise ArgumentError(f"{name} cannot be sent to a cluster: {error}") from error
    if size > MOST_SENT:
        raise ArgumentError(
            f"{name} is too large to be sent to a cluster: {size:,} bytes, at most {MOST_SENT:,}; "
            "leave the client away"
        )


def memory_limit() -> int | None:
    """Return how many bytes the worker of this task may use; None if there is no limit."""
    return _limit(_this_worker())


def _asked(look: Callable[..., str], *arguments: Any, dask_worker: Any = None) -> str:
    """Call a function on a worker outside of its tasks; Dask fills in the worker."""
    return look(_limit(dask_worker), *arguments)


def _limit(worker: Any) -> int | None:
    return None if worker is None else worker.memory_manager.memory_limit or None


def _told(function: Callable[..., T], *task: Any) -> T:
    """Call a function on a worker; its error says on which."""
    try:
        return function(*task)
    except GopsError as error:
        raise type(error)(f"worker {_this_worker().address}: {error}") from None


def _this_worker() -> Any:
    from distributed import get_worker

    try:
        return get_worker()
    except ValueError:
        return None


@contextmanager
def _connection(client: Client) -> Iterator[None]:
    """Turn what goes wrong on a cluster into one sentence."""
    from distributed import CancelledError, KilledWorker

    try:
        yield
    except GopsError:
        raise
    except KilledWorker as error:
        raise ClusterError(
            f"{error.allowed_failures + 1} workers died at the same task, the last of them "
            f"{error.last_worker.address}; perhaps their memory is too small"
        ) from error
    except (CancelledError, OSError) as error:
        address = client.scheduler.address if client.scheduler else "the address given"
        raise ClusterError(f"the scheduler at {address} was lost") from error
    except Exception as error:
        raise ClusterError(f"a task failed: {type(error).__name__}: {error}") from error
