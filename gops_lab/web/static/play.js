// A game or a match against a strategy: you are A.

import { byId, make } from "./dom.js";
import { gameOnly, throughGame, withFields } from "./links.js";
import { drawReview } from "./rounds.js";
import { bidsTable } from "./stage.js";
import { leadText, outcomeText, whole } from "./text.js";

// What stands where the stage game stands while exploring, before a game is begun.
export function drawSetup(answer, opponents, play, deal) {
  const typed = play.against && !opponents.includes(play.against) ? play.against : "";
  const select = make("select", { id: "against" }, opponents.map((name) =>
    make("option", { value: name, selected: name === play.against }, name === "optimal" ? "optimal play" : name)));
  const other = opponents.length > 1
    ? make("p", {}, make("label", { for: "other" }, "or any other by its name"),
      make("input", { id: "other", value: typed, placeholder: "like mix:0.5:match:uniform", autocomplete: "off", spellcheck: "false" }))
    : null;
  const form = make("form", { id: "setup" },
    make("h2", {}, "A game for you"),
    make("p", { class: "fine" }, "You sit below and hold the clubs; other rules can be chosen below the table. B draws its bid without knowing yours."),
    make("p", {}, make("label", { for: "against" }, "Play against"), select), other,
    make("fieldset", {}, make("legend", {}, "You want"),
      [["margin", "points: as large a lead as possible"], ["win", "to be ahead at the end"]].map(([value, words]) => make("label", { class: "radio" },
        make("input", { type: "radio", name: "objective", value, id: `for-${value}`, checked: value === answer.objective, disabled: opponents.length === 1 }), words))),
    make("fieldset", {}, make("legend", {}, "Length"),
      [["1", "one game"], ["3", "a match of three, totals added"]].map(([value, words]) => make("label", { class: "radio" },
        make("input", { type: "radio", name: "games", value, id: `games-${value}`, checked: value === String(answer.games), disabled: value === "3" && opponents.length === 1 }), words))),
    make("p", { class: "go" }, make("button", { type: "submit", id: "deal", class: "strong" }, "Deal")));
  form.onsubmit = (event) => {
    event.preventDefault();
    const wanted = (name, usual) => {
      const { value } = form.querySelector(`input[name=${name}]:checked`);
      return value === usual ? "" : value;
    };
    const link = withFields(gameOnly(answer.link), { games: wanted("games", "1"), objective: wanted("objective", "margin") });
    deal(link, byId("other")?.value.trim() || select.value);
  };
  return form;
}

export function lastRound(answer, names) {
  const played = answer.played.at(-1);
  if (!played || !names) return make("div", { class: "last" });
  const bidCard = (player) => make("span", {
    class: `card small bid-${player}`, role: "img", "aria-label": `${names[player]} bid ${played[`bid_${player}`]}`,
  }, String(played[`bid_${player}`]));
  return make("div", { class: "last" },
    make("p", {}, make("span", { class: "words" }, "last round"), bidCard("b"), bidCard("a")),
    make("p", {}, outcomeText(played, played.stake, names)));
}

export function announcement(answer, names) {
  const { state } = answer;
  const played = answer.played.at(-1);
  const parts = [];
  if (played) {
    parts.push(`${names.a} bid ${played.bid_a}, ${names.b} bid ${played.bid_b}: ${outcomeText(played, played.stake, names)}.`);
  }
  if (answer.over) parts.push(resultText(answer, names));
  else if (state.upcard !== null) {
    parts.push(`Prize ${whole(state.upcard)} is exposed, ${whole(state.upcard + state.carried)} at stake; ${leadText(state.lead, names)}.`);
  } else parts.push(`A prize is to be exposed; ${leadText(state.lead, names)}.`);
  return parts.join(" ");
}

function resultText(answer, names) {
  const [a, b] = answer.points;
  const score = `${whole(a)} to ${whole(b)}`;
  const last = answer.game === answer.games;
  const what = answer.games === 1 ? "The game is over"
    : `${last ? "The match" : `Game ${answer.game} of ${answer.games}`} is over, this game`;
  const { lead } = answer;
  const who = lead === 0 ? "a draw" : leadText(lead, names).replace("lead", last ? "win" : "lead");
  return `${what}${answer.games === 1 ? "," : ""} ${score}: ${who}${last && answer.games > 1 ? " in all" : ""}.`;
}

// Below the table while a game is played: whose turn it is, hints, what to do at the end.
export function drawTurn(answer, names, hint, actions) {
  const { over } = answer;
  if (!over) {
    return [
      make("p", { class: "turn" }, answer.state.upcard === null ? "…" : "Your bid: press one of your cards."),
      make("p", { class: "buttons" },
        make("button", { type: "button", id: "hint", class: "quiet", "aria-expanded": String(hint !== null), onclick: actions.hint }, hint === null ? "Hint" : "Hide the hint"),
        make("button", { type: "button", id: "leave", class: "quiet", onclick: actions.again }, "Another game")),
    ];
  }
  const more = answer.game < answer.games;
  return [
    make("p", { class: "turn result", id: "result" }, resultText(answer, names)),
    make("p", { class: "buttons" },
      more ? make("button", { type: "button", id: "next-game", class: "strong", onclick: actions.next }, "Next game") : null,
      make("button", { type: "button", id: "review", class: more ? "quiet" : "strong", onclick: actions.review }, "Review every bid"),
      make("button", { type: "button", id: "again", class: "quiet", onclick: actions.again }, "Another game")),
  ];
}

export function drawHint(answer) {
  return make("div", { id: "hint-text" },
    make("h2", {}, "A hint"),
    bidsTable(answer.stage.a, "a", "Your optimal bids"),
    make("p", { class: "fine" }, "Draw one with these probabilities; what a bid gives away is lost against optimal play."));
}

export async function drawReviews(source, answer, against, names) {
  const tables = [];
  for (let game = 1; game <= answer.game; game += 1) {
    const rounds = await source.review(throughGame(answer.link, game), against);
    const title = answer.games > 1 ? `Game ${game}: every bid` : "Every bid";
    tables.push(make("div", { class: "scroll" }, drawReview(rounds, { names, title, unit: answer.unit })));
  }
  return tables;
}
