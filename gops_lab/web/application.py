"""The server as an ASGI application: the page's files, and answers about positions.

All requests are reads (GET), and a position is in the request: there is nothing to keep, to forge
or to forget.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from gops_lab.errors import ArgumentError, GopsError
from gops_lab.explorer.forms import read_integer
from gops_lab.strategies import Strategy
from gops_lab.web.answers import answer, review_answer, table_answer
from gops_lab.web.export import exported_page
from gops_lab.web.guard import Application, Guard
from gops_lab.web.opponents import OPTIMAL, Opponents, drawn_bid, drawn_exposure
from gops_lab.web.page import TYPES, page_files
from gops_lab.web.position import Position, read_position, write_position
from gops_lab.web.solutions import Solutions
from gops_lab.web.worker import Worker


def application(
    port: int,
    solutions: Solutions | None = None,
    opponents: Opponents | None = None,
    first: str = "cards=4",
    worker: Worker | None = None,
) -> Application:
    """Return the application.

    Parameters
    ----------
    port : int
        Where it is served, on 127.0.0.1; requests for another place are refused.
    solutions : Solutions, optional
    opponents : Opponents, optional
    first : str
        Link of the position that is shown first.
    worker : Worker, optional
        Who finds what takes long.
    """
    solutions = solutions or Solutions()
    desk = Desk(solutions, opponents or Opponents(solutions), first, worker or Worker())
    files = page_files()
    routes = [
        Route("/", _sent(files["index.html"], TYPES["html"])),
        *(
            Route(f"/{name}", _sent(text, TYPES[name.rpartition(".")[2]]))
            for name, text in files.items()
        ),
        *(Route(f"/api/{name}", desk.endpoint(name)) for name in desk.answers),
    ]
    return Guard(Starlette(routes=routes), port)


class Asked:
    """The arguments of a request.

    Parameters
    ----------
    query : str
        ``link=...`` and, for what is drawn, ``bid``, ``against`` and ``seed``.

    Raises
    ------
    ArgumentError
        If an argument is not known or given twice.
    """

    NAMES = ("link", "bid", "against", "seed")

    def __init__(self, query: str) -> None:
        try:
            pairs = parse_qsl(
                query, keep_blank_values=True, strict_parsing=bool(query), errors="strict",
                max_num_fields=len(self.NAMES),
            )
        except ValueError:
            raise ArgumentError("the query cannot be read") from None
        self._given = dict(pairs)
        if len(self._given) < len(pairs) or not self._given.keys() <= set(self.NAMES):
            raise ArgumentError(f"a query holds each of {', '.join(self.NAMES)} at most once")

    def __getitem__(self, name: str) -> str:
        """Return an argument, empty where it was not given."""
        return self._given.get(name, "")

    @property
    def position(self) -> Position:
        """The position that is asked about."""
        return read_position(self["link"])


class Desk:
    """Answers requests; what needs a solution is done by one worker."""

    def __init__(
        self, solutions: Solutions, opponents: Opponents, first: str, worker: Worker
    ) -> None:
        self._solutions = solutions
        self._opponents = opponents
        self._first = first
        self._worker = worker
        self.answers: dict[str, Callable[[Asked], Awaitable[Response]]] = {
            "start": self.start, "table": self.table, "position": self.position,
            "draw": self.draw, "review": self.review, "export": self.export,
        }

    def endpoint(self, name: str) -> Callable[[Request], Awaitable[Response]]:
        """Return what Starlette calls: errors of the request become one sentence."""

        async def respond(request: Request) -> Response:
            try:
                return await self.answers[name](Asked(request.url.query))
            except GopsError as error:
                return JSONResponse({"error": " ".join(str(error).split())}, 400)

        return respond

    async def start(self, asked: Asked) -> Response:
        """Return what the page begins with."""
        return JSONResponse({"link": self._first, "opponents": self._opponents.names})

    async def table(self, asked: Asked) -> Response:
        """Return what lies on the table; nothing needs to be solved for that."""
        return JSONResponse(table_answer(asked.position))

    async def position(self, asked: Asked) -> Response:
        """Return all there is to say about a position."""
        position = asked.position
        return JSONResponse(
            await self._worker.do(lambda: answer(position, self._solutions.of(position)))
        )

    async def draw(self, asked: Asked) -> Response:
        """Return the link after what is drawn next: an exposure, or the bids that are not given."""
        position, seed = asked.position, asked["seed"]
        line = position.line
        if line.state.upcard is None:
            line = line.expose(drawn_exposure(position, seed))
        else:
            line = line.bid(*await self._worker.do(lambda: self._bids(asked)))
        return JSONResponse({"link": write_position(position.at(line))})

    async def review(self, asked: Asked) -> Response:
        """Return the rounds played, with what every bid gave away."""

        def rounds() -> object:
            position = asked.position
            opponent = self._opponent(asked)
            return review_answer(position, self._solutions.of(position), opponent)

        return JSONResponse({"rounds": await self._worker.do(rounds)})

    async def export(self, asked: Asked) -> Response:
        """Return the page as one file."""
        position = asked.position
        page = await self._worker.do(lambda: exported_page(position, self._solutions))
        name = f"gops-{position.rules.cards}-cards.html"
        return Response(
            page,
            media_type=TYPES["html"],
            headers={"Content-Disposition": f'attachment; filename="{name}"'},
        )

    def _bids(self, asked: Asked) -> tuple[int, int]:
        position, written, seed = asked.position, asked["bid"], asked["seed"]
        opponent = self._opponent(asked)
        reply = drawn_bid(position, self._solutions, "b", opponent, seed=seed)
        if written:
            return read_integer("bid", written), reply
        return drawn_bid(position, self._solutions, "a", seed=seed), reply

    def _opponent(self, asked: Asked) -> Strategy | None:
        return self._opponents.strategy(asked["against"] or OPTIMAL, asked.position)


def _sent(text: str, media_type: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        return Response(text, media_type=media_type)

    return respond
