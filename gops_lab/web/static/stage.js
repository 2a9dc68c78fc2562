// The stage game: a heat map of A's payoffs, and both players' optimal bids.

import { arrows, make } from "./dom.js";
import { SUITS, leadText, number, outcomeText, percent, rounded, signed, whole } from "./text.js";

export function drawValue(answer) {
  return make("div", { class: "value" },
    make("p", {}, make("b", { id: "value", "data-value": answer.value }, signed(answer.value)),
      make("span", {}, answer.objective === "win" ? " P(A ahead) \u2212 P(B ahead)" : " points to A")),
    make("p", { class: "fine" },
      `certified between ${whole(answer.lower)} and ${whole(answer.upper)}`));
}

export function drawStage(answer, { names, go }) {
  const { stage } = answer;
  const text = make("p", { class: "pair", id: "pair" });
  const idle = "Point at a pair of bids, or go there with the arrow keys; press it to go on.";
  text.textContent = idle;
  const tell = (i, j) => { text.textContent = pairText(answer, i, j, names); };
  const map = heatMap(answer, tell, (i, j) => go(stage.a[i].bid, stage.b[j].bid));
  map.addEventListener("mouseleave", () => { text.textContent = idle; });
  return [
    make("h2", {}, "Stage game"),
    make("div", { class: "scroll" }, map),
    make("p", { class: "legend", "aria-hidden": "true" },
      make("span", { class: "for-b" }, "less to A than the value"), make("span", { class: "bar" }),
      make("span", { class: "for-a" }, "more")),
    text,
    make("div", { class: "bids" },
      bidsTable(stage.a, "a", "A's optimal bids"), bidsTable(stage.b, "b", "B's optimal bids")),
    make("p", { class: "fine" }, "Bar: the probability in one optimal strategy; thin line: its range over all of them. ",
      `“Gives away”: what the bid loses against optimal play. Gap of this stage game: ${stage.gap === 0 ? "0" : whole(stage.gap.toExponential(0))}.`),
  ];
}

function pairText(answer, i, j, names) {
  const { stage, state } = answer;
  const outcome = stage.outcomes[stage.pairs[i][j]];
  const stake = state.upcard + state.carried;
  const payoff = stage.payoffs[i][j];
  const chance = stage.a[i].probability * stage.b[j].probability;
  const more = payoff - answer.value;
  const compared = Math.abs(more) < 5e-5 ? "as much as the value"
    : `${number(Math.abs(more))} ${more > 0 ? "more" : "less"} than the value`;
  return `${names.a} ${stage.a[i].bid}, ${names.b} ${stage.b[j].bid}: `
    + `${outcomeText(outcome, stake, names)}; then ${leadText(state.lead + outcome.change, names)}. `
    + `Worth ${signed(payoff)} to A, ${compared}. Chance in optimal play ${percent(chance)}.`;
}

function heatMap(answer, tell, go) {
  const { stage } = answer;
  const most = Math.max(1e-9, ...stage.payoffs.flat().map((payoff) => Math.abs(payoff - answer.value)));
  const digits = stage.b.length > 9 && answer.objective === "margin" ? 1 : 2;
  const head = make("tr", {}, make("th", { class: "corner", scope: "col" },
    make("span", { "aria-label": "A's bids down, B's bids across" }, `${SUITS.a} \\ ${SUITS.b}`)),
    stage.b.map((bid) => make("th", { scope: "col", class: bid.probability > 0.0005 ? "played" : "" }, String(bid.bid))));
  const rows = stage.a.map((bidA, i) => make("tr", {},
    make("th", { scope: "row", class: bidA.probability > 0.0005 ? "played" : "" }, String(bidA.bid)),
    stage.b.map((bidB, j) => {
      const payoff = stage.payoffs[i][j];
      const more = (payoff - answer.value) / most;
      return make("td", {}, make("button", {
        type: "button", id: `cell-${bidA.bid}-${bidB.bid}`, "data-value": payoff,
        class: more >= 0 ? "for-a" : "for-b", "--weight": Math.abs(more).toFixed(3),
        tabindex: i === 0 && j === 0 ? "0" : "-1",
        "aria-label": `A ${bidA.bid}, B ${bidB.bid}: ${signed(payoff)}`,
        onmouseenter: () => tell(i, j), onfocus: () => tell(i, j), onclick: () => go(i, j),
      }, rounded(payoff, digits)));
    })));
  const table = make("table", { class: stage.b.length > 9 ? "heat wide" : "heat" },
    make("caption", { class: "hidden" }, "A's payoff for every pair of bids"),
    make("thead", {}, head), make("tbody", {}, rows));
  table.addEventListener("focusin", (event) => {
    for (const cell of table.querySelectorAll("button[tabindex='0']")) cell.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  return arrows(table, stage.b.length);
}

export function bidsTable(bids, player, title) {
  return make("table", { class: `bids-table player-${player}`, id: `bids-${player}` },
    make("caption", {}, title),
    make("thead", {}, make("tr", {}, ...["bid", "probability", "", "gives away"].map((name, place) =>
      make("th", { scope: "col", class: place === 2 ? "track-head" : "" }, name)))),
    make("tbody", {}, bids.map((bid) => {
      const range = bid.greatest - bid.least > 1e-6;
      return make("tr", { class: bid.probability > 0.00005 ? "" : "never", "data-bid": bid.bid },
        make("th", { scope: "row" }, String(bid.bid)),
        make("td", { "data-value": bid.probability }, number(bid.probability),
          range ? make("span", { class: "hidden" }, `, from ${number(bid.least)} to ${number(bid.greatest)} in all optimal strategies`) : null),
        make("td", { class: "track-cell", "aria-hidden": "true", title: range ? `from ${number(bid.least)} to ${number(bid.greatest)} over all optimal strategies` : null },
          make("span", { class: "track", "--chance": bid.probability, "--least": bid.least, "--greatest": bid.greatest },
            make("span", { class: "fill" }), range ? make("span", { class: "whisker" }) : null)),
        make("td", { class: "given", "data-value": bid.given_away }, bid.given_away < 5e-7 ? "0" : number(bid.given_away)));
    })));
}
