"""What is said where a library is not installed."""

import importlib
import sys

import pytest

from gops_lab.errors import MissingExtraError


@pytest.mark.parametrize(
    ("module", "library", "extra"),
    [
        ("openspiel", "pyspiel", "openspiel"),
        ("gambit", "pygambit", "gambit"),
        ("games", "nashpy", "games"),
        ("games", "quantecon", "games"),
        ("pettingzoo", "pettingzoo", "rl"),
        ("pettingzoo", "gymnasium", "rl"),
    ],
)
def test_it_says_which_extra_to_install(module, library, extra, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    monkeypatch.delitem(sys.modules, f"gops_lab.interop.{module}", raising=False)
    with pytest.raises(MissingExtraError, match=rf"pip install 'gops-lab\[{extra}\]' brings it"):
        importlib.import_module(f"gops_lab.interop.{module}")
