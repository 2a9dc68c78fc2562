"""A real server on this machine, asked as a browser would ask it."""

import http.client
import json
from queue import Queue
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlencode, urlsplit

import pytest


def start_server(solutions=None, opponents=None, first="cards=4"):
    """Serve until the tests end; return what asks the server."""
    from gops_lab.web import Opponents, Solutions, serve

    solutions = solutions or Solutions()
    opponents = opponents or Opponents(solutions)
    address = Queue()
    Thread(
        target=serve, args=(solutions, opponents, first),
        kwargs={"browser": False, "announce": address.put}, daemon=True,
    ).start()
    url = address.get(timeout=60)
    port = urlsplit(url).port

    def get(path, method="GET", headers=(), timeout=120):
        """Return status, headers and body."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
        try:
            connection.putrequest(method, path, skip_host=True)
            given = {"Host": f"127.0.0.1:{port}", "Connection": "close", **dict(headers)}
            for name, value in given.items():
                connection.putheader(name, value)
            connection.endheaders()
            response = connection.getresponse()
            return response.status, dict(response.getheaders()), response.read()
        finally:
            connection.close()

    def ask(name, **query):
        """Return status and answer of one question."""
        status, _, body = get(f"/api/{name}?{urlencode(query)}")
        return status, json.loads(body)

    return SimpleNamespace(url=url, port=port, get=get, ask=ask)


@pytest.fixture(scope="session")
def server():
    """A server with no stored solution."""
    pytest.importorskip("starlette", reason="starlette is not installed")
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    return start_server()
