// The rounds that were played: as a list to jump to, and as a review of every bid.

import { make } from "./dom.js";
import { number, signed, whole } from "./text.js";

const KEPT = { a: (names) => names.a, b: (names) => names.b, table: () => "stays", both: () => "shared", nobody: () => "removed" };

// `current` is the round before whose bids the page is.
export function drawRounds(rounds, { names, jump, current }) {
  if (!rounds.length) return null;
  return make("table", { class: "rounds" },
    make("caption", {}, "Line of play"),
    make("thead", {}, make("tr", {}, ["round", "prize", names.a, names.b, "stake", "to"].map((name) =>
      make("th", { scope: "col" }, name)))),
    make("tbody", {}, rounds.map((played, place) => make("tr", {
      "aria-current": current === place ? "step" : null,
    },
      make("th", { scope: "row" }, jump === null ? String(place + 1) : make("button", {
        type: "button", class: "jump", id: `round-${place + 1}`,
        "aria-label": `go to round ${place + 1}, before the bids`, onclick: () => jump(place),
      }, String(place + 1))),
      make("td", {}, whole(played.upcard)), make("td", {}, String(played.bid_a)),
      make("td", {}, String(played.bid_b)), make("td", {}, whole(played.stake)),
      make("td", {}, KEPT[played.taker](names))))));
}

export function drawReview(rounds, { names, title, unit }) {
  const lost = (player) => rounds.reduce((sum, round) => sum + round[`given_away_${player}`], 0);
  return make("table", { class: "review" },
    make("caption", {}, title),
    make("thead", {}, make("tr", {}, [
      "round", "stake", "value before", `${names.a} bid`, "gave away", "optimal play",
      `${names.b} bid`, "gave away", `${names.b}'s mixture`,
    ].map((name, place) => make("th", { scope: "col", class: place % 3 === 2 && place > 2 ? "mixture" : null }, name)))),
    make("tbody", {}, rounds.map((round, place) => make("tr", {},
      make("th", { scope: "row" }, String(place + 1)),
      make("td", {}, whole(round.stake)), make("td", { "data-value": round.value }, signed(round.value)),
      make("td", { class: "mine" }, String(round.bid_a)), given(round.given_away_a),
      make("td", { class: "mixture" }, mixture(round.optimal_a)),
      make("td", { class: "theirs" }, String(round.bid_b)), given(round.given_away_b),
      make("td", { class: "mixture" }, mixture(round.mixture_b))))),
    make("tfoot", {}, make("tr", {},
      make("th", { scope: "row", colspan: 4 }, `in all, ${unit}`), given(lost("a")), make("td", { colspan: 2 }), given(lost("b")), make("td"))));
}

function given(lost) {
  const size = lost < 5e-7 ? "none" : lost < 0.05 ? "some" : "much";
  return make("td", { class: `given ${size}`, "data-value": lost }, lost < 5e-7 ? "0" : number(lost));
}

function mixture(bids) {
  return bids.filter(([, chance]) => chance > 0.0005)
    .map(([bid, chance]) => make("span", { class: "share" }, make("b", {}, String(bid)), ` ${number(100 * chance, 0)} %`));
}
