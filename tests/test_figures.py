"""Figures: what they show is the data, on the Axes given, legible at the width of a column."""

import json
import re
import subprocess
import sys
from itertools import pairwise

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection, QuadMesh
from matplotlib.figure import Figure
from matplotlib.text import Text
from PIL import Image

import gops_lab as gl
from gops_lab import reporting
from gops_lab.errors import FigureError, GopsError

NAMES = ("uniform", "match", "proportional")

TOP = gl.State(range(1, 14), range(1, 14), range(1, 13), upcard=13)
OPEN = gl.State((1, 3, 4), (2, 3, 4), (1, 3), upcard=2)

PANELS = {"bid_panels", "comparison"}


@pytest.fixture(scope="module")
def data():
    """What each figure is drawn from, as much of it as a paper would show."""
    small = {ties: gl.solve(gl.Rules(cards=4, ties=ties)) for ties in ("carry", "discard")}
    decks = {ties: gl.load(f"13-{ties}-margin") for ties in ("carry", "discard")}
    win = gl.solve(gl.Rules(cards=4), "win")
    rules = {cards: gl.Rules(cards=cards) for cards in (3, 4)}
    field = [gl.strategy_named(name, rules[4]) for name in NAMES]
    first = reporting.first_bids_table(decks["discard"])
    iterations = np.array([1, 3, 10, 30, 100])
    return {
        "bids": first,
        "bid_panels": first,
        "support": first,
        "comparison": reporting.comparison_table(decks),
        "stage_game": reporting.stage_table(decks["carry"], TOP),
        "stakes": reporting.stack_tables(
            {
                ties: reporting.stake_table(solution, OPEN, range(6))
                for ties, solution in small.items()
            }
        ),
        "leads": reporting.lead_table(win, OPEN, range(-10, 11)),
        "exploitability": reporting.exploitability_table(
            gl.exploitability(game, gl.strategy_named(name, game), with_value=False)
            for game in rules.values()
            for name in NAMES
        ),
        "tournament": gl.tournament(rules[4], field, 50).payoffs(),
        "convergence": pd.concat(
            pd.DataFrame({"iteration": iterations, "value": 0.1 + 1 / iterations**power,
                          "algorithm": f"power {power}"})
            for power in (1, 2)
        ),
        "costs": reporting.cost_table(
            gl.forecast(gl.Rules(cards=cards, ties=ties), goal)
            for goal in ("margin", "win") for ties in ("carry", "discard") for cards in (4, 8, 13)
        ),
    }


def draw(name, data, **how):
    if name == "convergence":
        how["exact"] = 0.1
    return getattr(reporting, f"plot_{name}")(data[name], **how)


FIGURES = [
    "bids", "bid_panels", "support", "comparison", "stage_game", "stakes", "leads",
    "exploitability", "tournament", "convergence", "costs",
]


def test_no_figure_is_left_out(data):
    assert {f"plot_{name}" for name in FIGURES} == {
        name for name in reporting.__all__ if name.startswith("plot_")
    }
    assert set(data) == set(FIGURES)


def drawn_texts(plot):
    """Return the texts of a figure that are seen, after a layout."""
    FigureCanvasAgg(plot.figure_).draw()
    return [
        text for text in plot.figure_.findobj(Text) if text.get_visible() and text.get_text()
    ]


# Where it is drawn


@pytest.mark.parametrize("name", FIGURES)
def test_only_the_axes_given_are_touched(name, data):
    before = dict(mpl.rcParams)
    figure = Figure(figsize=(8, 6))
    axes = list(figure.subplots(4, 5).flat)
    other = axes.pop(7)
    other.plot([1, 2], [3, 4])
    limits, children = other.get_xlim(), len(other.get_children())
    said = data[name].attrs.copy()
    if name in PANELS:
        plot = draw(name, data, axes=np.array(axes))
        assert plot.axes_ == tuple(axes[: len(plot.axes_)])
    else:
        plot = draw(name, data, ax=axes[3])
        assert plot.ax_ is axes[3]
        assert not axes[4].has_data()
    assert plot.figure_ is figure
    assert figure.get_size_inches().tolist() == [8, 6]
    assert len(figure.axes) == 20
    assert figure.texts == []
    assert (other.get_xlim(), len(other.get_children())) == (limits, children)
    assert dict(mpl.rcParams) == before
    assert data[name].attrs == said


def test_pyplot_is_never_asked():
    code = (
        "import sys, gops_lab as gl, gops_lab.reporting\n"
        "assert 'matplotlib' not in sys.modules\n"
        "with gl.reporting.paper_style():\n"
        "    gl.reporting.plot_bids(gl.solve(gl.Rules(cards=2)))._repr_png_()\n"
        "assert 'matplotlib' in sys.modules\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_panels_go_into_a_figure_or_part_of_one(data):
    figure = Figure(figsize=(7, 7), layout="constrained")
    left, right = figure.subfigures(1, 2)
    plot = reporting.plot_bid_panels(data["bids"], figure=right)
    assert plot.figure_ is figure
    assert len(plot.axes_) == len(right.axes) == 13
    assert left.axes == []
    with pytest.raises(FigureError, match="not both"):
        reporting.plot_bid_panels(data["bids"], figure=right, axes=plot.axes_)
    with pytest.raises(FigureError, match="13 panels need 13 axes; 2 are given"):
        reporting.plot_bid_panels(data["bids"], axes=plot.axes_[:2])


# How it looks


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("name", FIGURES)
def test_legible_and_inside_the_page(name, data, columns):
    width = {1: 3.5, 2: 7.16}[columns]
    with reporting.paper_style(columns):
        plot = draw(name, data)
        texts = drawn_texts(plot)
    figure = plot.figure_
    assert figure.get_figwidth() == width
    box = figure.get_tightbbox(figure.canvas.get_renderer())
    assert box.x0 >= -0.01
    assert box.y0 >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= figure.get_figheight() + 0.01
    assert min(text.get_fontsize() for text in texts) >= 6
    shown = {text.get_text() for text in texts}
    xlabel = plot.axes_[-1].get_xlabel() or figure.get_supxlabel()
    assert xlabel in shown
    if name not in ("exploitability", "tournament"):
        assert (plot.ax_.get_ylabel() or figure.get_supylabel()) in shown
    for ax in plot.axes_:
        for axis in (ax.xaxis, ax.yaxis):
            no_overlap(axis, slanted=name == "tournament" and axis is ax.xaxis)


def no_overlap(axis, slanted):
    """Tick labels next to each other leave a gap."""
    labels = [label for label in axis.get_ticklabels() if label.get_text()]
    low, high = sorted(axis.get_view_interval())
    boxes = [
        label.get_window_extent()
        for label, place in zip(labels, axis.get_ticklocs(), strict=False)
        if low <= place <= high and label.get_visible()
    ]
    if not slanted:
        for one, two in pairwise(boxes):
            assert not one.overlaps(two)


def test_crowded_labels_are_thinned_from_the_top():
    """40 ranks have no room for 40 labels; the highest is labelled."""
    ranks = np.arange(1, 41)
    frame = pd.DataFrame(
        {"player": "a", "upcard": ranks, "bid": ranks, "probability": np.full(40, 1.0)}
    )
    with reporting.paper_style():
        plot = reporting.plot_bids(frame)
    labels = [label.get_text() for label in plot.ax_.get_xticklabels()]
    assert labels[-1] == "40"
    assert 4 < len(labels) < 25
    drawn_texts(plot)
    no_overlap(plot.ax_.xaxis, slanted=False)


@pytest.mark.parametrize("columns", [0, 3, True, "1", None])
def test_no_such_width(columns):
    with pytest.raises(FigureError, match="columns must be 1 or 2"), reporting.paper_style(columns):
        pass


@pytest.mark.parametrize("height", [0, -1, "2", float("nan"), True])
def test_no_such_height(height):
    with pytest.raises(FigureError, match="height"), reporting.paper_style(height=height):
        pass


def test_the_style_ends_with_its_context():
    before = dict(mpl.rcParams)
    with reporting.paper_style(2, height=2.5):
        assert mpl.rcParams["pdf.fonttype"] == 42
        assert list(mpl.rcParams["figure.figsize"]) == [7.16, 2.5]
    assert dict(mpl.rcParams) == before
    with pytest.raises(FigureError), reporting.paper_style():
        reporting.plot_bids(None)
    assert dict(mpl.rcParams) == before


# What it shows


def cells(plot):
    (mesh,) = (child for child in plot.ax_.get_children() if isinstance(child, QuadMesh))
    return mesh, np.ma.filled(mesh.get_array(), np.nan)


def test_the_heat_map_holds_the_probabilities(data):
    plot = reporting.plot_bids(data["bids"], player="b")
    _, shown = cells(plot)
    rows = data["bids"][data["bids"]["player"] == "b"]
    want = rows.pivot_table(index="bid", columns="upcard", values="probability").to_numpy()
    np.testing.assert_array_equal(np.nan_to_num(shown), np.where(want > 1e-12, want, 0))
    assert np.isnan(shown).sum() == (want <= 1e-12).sum() > 0
    assert plot.ax_.get_ylabel() == "bid of B"
    assert plot.metadata_["rules"]["ties"] == "discard"


def test_payoffs_are_centred_on_zero_and_read_like_a_matrix():
    payoffs = pd.DataFrame(
        [[1.0, -3.0], [0.5, 2.0]], index=pd.Index([2, 7], name="bid_a"),
        columns=pd.Index([1, 9], name="bid_b"),
    )
    plot = reporting.plot_stage_game(payoffs)
    mesh, shown = cells(plot)
    np.testing.assert_array_equal(shown, payoffs.to_numpy())
    assert (mesh.norm.vmin, mesh.norm.vmax) == (-3, 3)
    low, high = plot.ax_.get_ylim()
    assert low > high  # A's lowest bid at the top
    positive, negative = mesh.to_rgba(np.array([3.0, -3.0]))
    assert positive[2] > positive[0]  # blue is good for A
    assert negative[0] > negative[2]
    written = {text.get_text() for text in plot.ax_.texts}
    assert written == {"1.00", "\N{MINUS SIGN}3.00", "0.50", "2.00"}


def test_a_small_probability_is_not_written_as_never():
    frame = pd.DataFrame(
        {"player": "a", "upcard": 1, "bid": [1, 2, 3], "probability": [0.999, 0.001, 0.0]}
    )
    plot = reporting.plot_bids(frame, annotate=True)
    assert [text.get_text() for text in plot.ax_.texts] == ["1.00", "<.01"]


def test_small_payoffs_are_written_alike_on_both_sides_of_zero():
    """0.04 of a point is less than a tenth, not than a hundredth; no number is none."""
    names = ["a", "b", "c"]
    payoffs = pd.DataFrame([[0, 0.04, -5], [-0.04, 0, 0.2], [5, -0.2, 0]], names, names)
    minus = "\N{MINUS SIGN}"
    for objective, want in (
        ("margin", ["0", "<.1", f"{minus}5.0", f">{minus}.1", "0", "0.2"]),
        ("win", ["0", "0.04", f"{minus}5.00", f"{minus}0.04", "0", "0.20"]),
    ):
        plot = reporting.plot_tournament(payoffs, objective=objective, annotate=True)
        assert [text.get_text() for text in plot.ax_.texts][:6] == want


def test_panels_hold_the_probabilities(data):
    plot = reporting.plot_bid_panels(data["bids"])
    rows = data["bids"][data["bids"]["player"] == "a"]
    for ax, (upcard, part) in zip(plot.axes_, rows.groupby("upcard"), strict=True):
        assert ax.get_title() == f"upcard {upcard}"
        bars = [bar.get_height() for bar in ax.patches]
        assert bars == part["probability"].tolist()
        assert ax.get_ylim() == plot.ax_.get_ylim()


def test_a_negative_upcard_has_a_minus():
    rules = gl.Rules(cards=2, prizes=(-1, 2), ties="discard")
    plot = reporting.plot_bid_panels(gl.solve(rules))
    assert [ax.get_title() for ax in plot.axes_] == ["upcard \N{MINUS SIGN}1", "upcard 2"]


def test_the_support_chart_tells_odd_from_even():
    frame = pd.DataFrame(
        {
            "player": "a", "upcard": [1] * 4 + [2] * 4, "bid": [1, 2, 3, 4] * 2,
            "probability": [0.5, 0, 0.5, 0, 0, 0.9, 0.0004, 0.0996],
        }
    )
    plot = reporting.plot_support(frame)
    marks = [part for part in plot.ax_.get_children() if isinstance(part, PathCollection)]
    odd, even, never = ({tuple(at) for at in part.get_offsets().tolist()} for part in marks)
    assert odd == {(0, 0), (0, 2), (1, 2)}
    assert even == {(1, 1), (1, 3)}
    assert never == {(0, 1), (0, 3), (1, 0)}
    colours = {tuple(part.get_facecolor()[0]) for part in marks}
    assert len(colours) == 3
    assert min(marks[0].get_sizes()) > 0.5  # a rank hardly ever bid is seen
    legend = plot.ax_.get_legend()
    dot = legend.get_lines()[2].get_markersize()
    assert marks[2].get_sizes()[0] == pytest.approx(dot**2)  # as it is explained
    assert legend.get_title().get_text()


def test_what_is_hardly_ever_bid_is_not_white():
    frame = pd.DataFrame({"player": "a", "upcard": 1, "bid": [1, 2], "probability": [1.0, 1e-6]})
    mesh, _ = cells(reporting.plot_bids(frame))
    assert min(mesh.to_rgba(np.array([1e-6]))[0][:3]) < 0.75


def test_a_curve_under_another_is_seen():
    costs = pd.DataFrame(
        {"cards": [4, 5] * 2, "ties": ["carry"] * 2 + ["discard"] * 2, "seconds": [1, 2] * 2}
    )
    below, above = reporting.plot_costs(costs).ax_.lines
    assert below.get_linestyle() != above.get_linestyle()
    assert above.get_markerfacecolor() == "none"


def test_series_are_named_and_hold_the_numbers(data):
    plot = reporting.plot_stakes(data["stakes"])
    lines = {line.get_label(): line for line in plot.ax_.lines if len(line.get_xdata()) == 6}
    assert set(lines) == {"carry", "discard"}
    for ties, line in lines.items():
        rows = data["stakes"][data["stakes"]["game"] == ties].drop_duplicates("stake")
        assert list(line.get_ydata()) == rows["value"].tolist()
    assert plot.ax_.get_ylabel() == "A's value (points)"
    assert {text.get_text() for text in plot.ax_.get_legend().get_texts()} == set(lines)


def test_the_lead_decides_what_is_bid(data):
    plot = reporting.plot_leads(data["leads"])
    _, shown = cells(plot)
    assert shown.shape == (3, 21)
    rows = data["leads"][data["leads"]["player"] == "a"]
    value = rows.groupby("lead")["value"].first()
    free = np.nansum(shown, axis=0) == 0
    # 6 points are to come; where the game is not decided some bid is wrong.
    assert free[np.abs(value.index) > 6].all()
    assert not free[np.abs(value) < 1].any()
    np.testing.assert_allclose(np.nansum(shown, axis=0)[~free], 1)
    assert len([patch for patch in plot.ax_.patches if patch.get_hatch()]) == free.sum()
    assert plot.ax_.get_legend().get_texts()[0].get_text() == "every bid is optimal"
    assert plot.ax_.get_xlabel() == "A's lead (points)"
    without = cells(reporting.plot_leads(data["leads"].drop(columns="pure")))[1]
    np.testing.assert_allclose(np.nansum(without, axis=0), 1)


def test_bars_are_as_long_as_the_losses(data):
    plot = reporting.plot_exploitability(data["exploitability"])
    bars = {container.get_label(): container for container in plot.ax_.containers}
    assert set(bars) == {"3 cards", "4 cards"}
    order = [label.get_text() for label in plot.ax_.get_yticklabels()]
    for cards in (3, 4):
        rows = data["exploitability"].query(f"cards == {cards}").set_index("strategy")
        got = [bar.get_width() for bar in bars[f"{cards} cards"]]
        assert got == rows.loc[order, "exploitability"].tolist()
    twice = pd.concat([data["exploitability"]] * 2)
    with pytest.raises(FigureError, match="not several"):
        reporting.plot_exploitability(twice)


def test_bars_are_told_apart_in_grey(data):
    for cards in ([3, 4], [3, 4, 5]):
        losses = pd.concat(
            [data["exploitability"].query("cards == 3").assign(cards=size) for size in cards]
        )
        plot = reporting.plot_exploitability(losses)
        colours = [bars[0].get_facecolor()[:3] for bars in plot.ax_.containers]
        grey = sorted(np.dot(colours, (0.299, 0.587, 0.114)))
        assert np.diff(grey).min() > 0.2


def test_a_tournament_names_rows_and_columns(data):
    plot = reporting.plot_tournament(data["tournament"])
    _, shown = cells(plot)
    np.testing.assert_array_equal(shown, data["tournament"].to_numpy())
    for labels in (plot.ax_.get_xticklabels(), plot.ax_.get_yticklabels()):
        assert [label.get_text() for label in labels] == list(NAMES)
    with pytest.raises(FigureError, match="square"):
        reporting.plot_tournament(data["tournament"].iloc[:2])
    with pytest.raises(FigureError, match="'margin' or 'win'"):
        reporting.plot_tournament(data["tournament"], objective="points")


def test_convergence_to_the_exact_value(data):
    plot = reporting.plot_convergence(data["convergence"], 0.1, error=True)
    for line, power in zip(plot.ax_.lines, (1, 2), strict=True):
        np.testing.assert_allclose(
            line.get_ydata(), 1 / np.asarray(line.get_xdata()) ** power, rtol=1e-9
        )
    assert (plot.ax_.get_xscale(), plot.ax_.get_yscale()) == ("log", "log")
    plain = reporting.plot_convergence(data["convergence"], 0.1)
    exact = next(line for line in plain.ax_.lines if line.get_label() == "exact")
    assert list(exact.get_ydata()) == [0.1, 0.1]
    with pytest.raises(FigureError, match="exact="):
        reporting.plot_convergence(data["convergence"], error=True)
    with pytest.raises(FigureError, match="finite"):
        reporting.plot_convergence(data["convergence"], float("nan"))
    with pytest.raises(FigureError, match="exact must be a number, not 'half'"):
        reporting.plot_convergence(data["convergence"], "half")


def test_costs_are_on_a_logarithmic_axis(data):
    plot = reporting.plot_costs(data["costs"], quantity="stage_games")
    assert plot.ax_.get_yscale() == "log"
    assert {line.get_label() for line in plot.ax_.lines} == {
        "carry, margin", "discard, margin", "carry, win", "discard, win",
    }
    with pytest.raises(FigureError, match="above 0"):
        reporting.plot_costs(data["costs"].assign(seconds=0.0))


# What cannot be drawn


@pytest.mark.parametrize("name", FIGURES)
def test_wrong_data_are_refused(name, data):
    for wrong in (None, 5, "bids", [1, 2], data[name].iloc[:0], pd.DataFrame({"x": [1]})):
        with pytest.raises(FigureError) as refused:
            draw(name, {name: wrong})
        assert len(str(refused.value).splitlines()) < 5
    if name not in PANELS:
        with pytest.raises(FigureError, match="ax must be a matplotlib Axes"):
            draw(name, data, ax=5)
    else:
        with pytest.raises(FigureError, match="axes must hold"):
            draw(name, data, axes=[5] * 20)
        with pytest.raises(FigureError, match="figure must be"):
            draw(name, data, figure=5)


@pytest.mark.parametrize("name", ["bids", "bid_panels", "support", "leads", "comparison"])
def test_wrong_players_are_refused(name, data):
    with pytest.raises(GopsError, match="'a' or 'b'"):
        draw(name, data, player="A")
    only_a = data[name][data[name]["player"] == "a"]
    with pytest.raises(FigureError, match="no rows of player 'b'"):
        draw(name, {name: only_a}, player="b")


def test_numbers_that_are_none_are_refused(data):
    broken = data["bids"].copy()
    broken["probability"] = broken["probability"].astype(object)
    broken.loc[0, "probability"] = "half"
    with pytest.raises(FigureError, match="needs numbers"):
        reporting.plot_bids(broken)
    broken.loc[0, "probability"] = float("inf")
    with pytest.raises(FigureError, match="finite"):
        reporting.plot_bids(broken)
    with pytest.raises(FigureError, match="not several"):
        reporting.plot_bids(pd.concat([data["bids"]] * 2))


def test_a_solution_is_drawn_like_its_table():
    solution = gl.solve(gl.Rules(cards=3), exact=True)
    _, from_solution = cells(reporting.plot_bids(solution))
    _, from_table = cells(reporting.plot_bids(reporting.first_bids_table(solution)))
    np.testing.assert_array_equal(from_solution, from_table)


# Files


@pytest.mark.parametrize("name", ["bids", "stage_game", "comparison", "costs"])
def test_type_42_fonts_whatever_is_set(name, data, tmp_path):
    with mpl.rc_context({"pdf.fonttype": 3, "savefig.bbox": "tight"}):
        with reporting.paper_style():
            plot = draw(name, data)
        written = reporting.save_figure(plot, tmp_path / "f.pdf").read_bytes()
    assert b"/Type3" not in written
    assert re.search(rb"/Subtype /(CIDFontType2|TrueType)", written)
    assert b"/FontFile2" in written
    assert b"/CreationDate" not in written
    left, bottom, right, _ = map(
        float, re.search(rb"/MediaBox \[([^\]]*)\]", written)[1].split()
    )
    assert (left, bottom, right) == (0, 0, 252)  # 3.5 inches


@pytest.mark.parametrize(
    ("name", "form"),
    [("bids", "pdf"), ("bids", "png"), ("tournament", "svg"), ("costs", "svg"),
     ("bid_panels", "pdf")],
)  # fmt: skip
def test_the_same_bytes_twice(name, data, tmp_path, form):
    files = []
    for number in range(2):
        with reporting.paper_style():
            plot = draw(name, data)
        files.append(reporting.save_figure(plot, tmp_path / f"{number}.{form}"))
    files.append(reporting.save_figure(plot, tmp_path / f"again.{form}"))
    first, *rest = (file.read_bytes() for file in files)
    assert all(other == first for other in rest)
    assert re.search(rb"20\d\d-\d\d-\d\dT|D:20\d\d", first) is None


def test_a_file_says_what_it_shows(data, tmp_path):
    plot = draw("bids", data)
    said = {"rules": {"cards": 13}, "seed": 7}
    with Image.open(reporting.save_figure(plot, tmp_path / "f.png", said)) as image:
        assert json.loads(image.text["Description"]) == {"gops_lab": gl.__version__, **said}
    with Image.open(reporting.save_figure(plot, tmp_path / "own.png")) as image:
        assert json.loads(image.text["Description"])["rules"] == data["bids"].attrs["rules"]
    svg = reporting.save_figure(plot, tmp_path / "f.svg", said).read_text()
    assert "&quot;seed&quot;: 7" in svg or '"seed": 7' in svg
    pdf = reporting.save_figure(plot, tmp_path / "f.pdf", said).read_bytes()
    assert b'"seed": 7' in pdf


def test_png_has_300_dots_an_inch(data, tmp_path):
    with reporting.paper_style():
        plot = draw("bids", data)
        file = reporting.save_figure(plot, tmp_path / "f.png")
    with Image.open(file) as image:
        assert image.size[0] == 1050


@pytest.mark.parametrize(
    ("file", "metadata", "match"),
    [
        ("f.jpg", None, r"\.pdf, \.png or \.svg"), ("f", None, r"\.pdf"),
        ("no/such/f.pdf", None, "folder"), (5, None, "path"), ("", None, "name"),
        ("f.pdf", [1], "mapping"), ("f.pdf", {"x": object()}, "JSON"),
    ],
)
def test_figures_that_cannot_be_written(data, tmp_path, monkeypatch, file, metadata, match):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FigureError, match=match):
        reporting.save_figure(draw("bids", data), file, metadata)
    assert list(tmp_path.iterdir()) == []


def test_only_figures_are_saved(tmp_path):
    with pytest.raises(FigureError, match="a Plot or a matplotlib Figure"):
        reporting.save_figure("figure", tmp_path / "f.pdf")


def test_a_notebook_shows_it(data):
    assert draw("bids", data)._repr_png_().startswith(b"\x89PNG")
