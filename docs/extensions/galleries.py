"""Pages of pictures: the notebooks, each with one of its figures, and every kind of figure."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pandas as pd
from theory_tables import expect

import gops_lab as gl

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"

FIGURES = {
    "plot_bids": """
table = gl.reporting.first_bids_table(gl.solve(gl.Rules(cards=6, ties="discard")))
plot = gl.reporting.plot_bids(table)
""",
    "plot_support": """
table = gl.reporting.first_bids_table(gl.solve(gl.Rules(cards=6, ties="discard")))
plot = gl.reporting.plot_support(table)
""",
    "plot_bid_panels": """
table = gl.reporting.first_bids_table(gl.solve(gl.Rules(cards=5)))
plot = gl.reporting.plot_bid_panels(table)
""",
    "plot_stage_game": """
state = gl.State(hand_a=(1, 3, 5), hand_b=(2, 3, 6), prizes=(1, 4), upcard=5, carried=2)
table = gl.reporting.stage_table(gl.solve(gl.Rules(cards=6)), state)
plot = gl.reporting.plot_stage_game(table)
""",
    "plot_comparison": """
games = {ties: gl.solve(gl.Rules(cards=6, ties=ties)) for ties in ("carry", "discard")}
plot = gl.reporting.plot_comparison(gl.reporting.comparison_table(games))
""",
    "plot_leads": """
solution = gl.solve(gl.Rules(cards=6), objective="win")
state = gl.State((1, 2, 4, 6), (2, 3, 5, 6), prizes=(1, 3, 4), upcard=6)
plot = gl.reporting.plot_leads(gl.reporting.lead_table(solution, state, range(-6, 7)))
""",
    "plot_stakes": """
state = gl.State((1, 3, 4), (2, 3, 6), prizes=(1, 2), upcard=4)
table = gl.reporting.stake_table(gl.solve(gl.Rules(cards=6)), state, range(0, 13))
plot = gl.reporting.plot_stakes(table)
""",
    "plot_exploitability": """
rules = gl.Rules(cards=5)
found = [
    gl.exploitability(rules, gl.strategy_named(name, rules))
    for name in ("uniform", "match", "stake", "highest", "lowest")
]
plot = gl.reporting.plot_exploitability(gl.reporting.exploitability_table(found))
""",
    "plot_tournament": """
rules = gl.Rules(cards=5)
names = ("optimal:margin", "uniform", "match", "highest")
event = gl.tournament(rules, [gl.strategy_named(name, rules) for name in names], 200, seed=1)
plot = gl.reporting.plot_tournament(event)
""",
    "plot_convergence": """
from gops_lab.interop.openspiel import learning_curve, openspiel_game

game = openspiel_game(gl.Rules(cards=3))
data = pd.concat(learning_curve(game, name, iterations=32) for name in ("cfr", "cfr+"))
plot = gl.reporting.plot_convergence(data, exact=0, column="exploitability", error=True)
""",
    "plot_costs": """
table = gl.reporting.cost_table(gl.forecast(gl.Rules(cards=n)) for n in range(4, 14))
plot = gl.reporting.plot_costs(table, quantity="stage_games")
""",
}
"""How each kind of figure is made, beside the picture that it makes."""

WIDE = ("plot_bid_panels", "plot_comparison", "plot_leads")


def write(folder: Path) -> None:
    """Write both pages and their pictures to a folder below the documentation."""
    where = f"/{folder.name}"
    (folder / "figures.md").write_text(_figures(folder, where), encoding="utf-8")
    (folder / "notebooks.md").write_text(_notebooks(folder, where), encoding="utf-8")


def _figures(folder: Path, where: str) -> str:
    public = {name for name in gl.reporting.__all__ if name.startswith("plot_")}
    expect(set(FIGURES) == public, "the gallery shows every kind of figure")
    parts = []
    for name, code in FIGURES.items():
        names: dict[str, Any] = {"gl": gl, "pd": pd}
        with gl.reporting.paper_style(columns=2 if name in WIDE else 1):
            exec(code, names)
            gl.reporting.save_figure(names["plot"], folder / f"{name}.png")
        about = (getattr(gl.reporting, name).__doc__ or "").partition("\n")[0]
        parts.append(
            f"## `{name}`\n\n{about}\n\n```python\n{code.strip()}\n```\n\n"
            f"![{about}]({where}/{name}.png)\n"
        )
    return "\n".join(parts)


def _notebooks(folder: Path, where: str) -> str:
    parts = []
    for file in sorted(NOTEBOOKS.glob("*.ipynb")):
        cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
        question, _, about = "".join(cells[0]["source"]).partition("\n")
        picture = next(
            output["data"]["image/png"]
            for cell in cells
            for output in cell.get("outputs", [])
            if "image/png" in output.get("data", {})
        )
        (folder / f"{file.stem}.png").write_bytes(base64.b64decode(picture))
        parts.append(
            f"## {question.removeprefix('# ')}\n\n`notebooks/{file.name}`\n\n"
            f"{about.strip().partition(chr(10) * 2)[0]}\n\n"
            f"![A figure of this notebook]({where}/{file.stem}.png)\n"
        )
    return "\n".join(parts)
