// The card table: both hands, what is spent, captured, tied, exposed and still to come.

import { arrows, make } from "./dom.js";
import { SUITS, points, whole } from "./text.js";

// `choose(player, rank)` is called for a card of a player in `active`; `chosen` is marked.
export function drawTable(answer, { names, active = [], chosen = {}, choose, last = null }) {
  const { state, table } = answer;
  const seat = (player) => make("div", { class: `seat seat-${player}` },
    make("h2", {}, names[player], make("span", { class: "suit", "aria-hidden": "true" }, SUITS[player])),
    hand(answer, player, names[player], active.includes(player), chosen[player], choose),
    captured(answer, player, names[player]));
  const stake = state.upcard === null ? null : state.upcard + state.carried;
  const middle = make("div", { class: "middle" },
    toCome(answer),
    make("div", { class: "offer" },
      tied(table, state.carried),
      state.upcard === null
        ? make("div", { class: "card prize empty", "aria-label": "no prize is exposed" })
        : make("div", { class: "card prize up", role: "img", "aria-label": `prize ${state.upcard} is exposed` },
          make("span", { "aria-hidden": "true" }, whole(state.upcard)),
          make("i", { "aria-hidden": "true" }, SUITS.prize)),
      make("p", { class: "stake" }, stake === null ? "" : `${whole(stake)} at stake`)),
    last ?? make("div", { class: "last" }));
  return [seat("b"), middle, seat("a")];
}

function hand(answer, player, name, active, chosen, choose) {
  const held = [...answer.state[`hand_${player}`]];
  const group = make("div", { class: "hand", role: "group", "aria-label": `${name}: hand` });
  answer.dealt[player === "a" ? 0 : 1].forEach((rank, place) => {
    const at = held.indexOf(rank);
    const there = at >= 0;
    if (there) held.splice(at, 1);
    if (active && there) {
      group.append(make("button", {
        type: "button", class: "card", id: `card-${player}-${place}`, "data-rank": rank,
        "aria-label": `${name}: bid ${rank}`, "aria-pressed": String(chosen === rank),
        onclick: () => choose(player, rank),
      }, String(rank)));
    } else {
      group.append(make("span", {
        class: there ? "card" : "card spent", "data-rank": rank, role: "img",
        "aria-label": there ? `${rank}` : `${rank}, spent`,
      }, String(rank)));
    }
  });
  return active ? arrows(group) : group;
}

function captured(answer, player, name) {
  const prizes = answer.table[`captured_${player}`];
  const score = answer.points[player === "a" ? 0 : 1];
  return make("p", { class: "captured" },
    make("span", { class: "words" }, prizes.length ? "captured" : "nothing captured"),
    prizes.map((prize) => chip(prize)),
    make("b", { class: "score", "aria-label": `${name}: ${points(score)}` }, whole(score)));
}

function tied(table, carried) {
  if (!carried && !table.tied.length) return null;
  const cards = table.tied.map((prize) => make("span", { class: "card prize small" }, whole(prize)));
  if (table.carried_before) {
    cards.unshift(make("span", { class: "card prize small", title: "carried over from before" }, whole(table.carried_before)));
  }
  return make("div", { class: "tied", role: "img", "aria-label": `tied prizes on the table: ${points(carried)}` },
    cards, make("span", { class: "words" }, "tied"));
}

function toCome(answer) {
  const { prizes } = answer.state;
  const words = answer.rules.order === "random" ? "to come" : "to come, in this order";
  return make("p", { class: "to-come" },
    make("span", { class: "words" }, prizes.length ? words : "no prize to come"),
    prizes.map((prize) => chip(prize)));
}

function chip(prize) {
  return make("span", { class: "chip" }, whole(prize));
}
