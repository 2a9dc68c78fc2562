// Forms: rules and objective, and any position.

import { make, redraw } from "./dom.js";
import { field } from "./links.js";

const CHOICES = {
  ties: [["carry", "carried over"], ["discard", "removed"], ["split", "split"]],
  negative_stakes: [["high_bid", "the higher bid"], ["low_bid", "the lower bid"]],
  objective: [["margin", "points (margin)"], ["win", "winning"]],
  games: [["1", "a single game"], ["3", "a match of 3"]],
};

const RULES = [
  ["cards", "Cards in each hand", "13"], ["ties", "Tied prizes are"], ["objective", "Played for"],
  ["games", "One or several"], ["order", "Order of the prizes", "random"],
  ["prizes", "Prizes", "1 2 3 …"], ["hand_a", "A's cards", "1 2 3 …"],
  ["hand_b", "B's cards", "1 2 3 …"], ["negative_stakes", "Stakes below zero go to"],
  ["rounds", "Rounds played", "all"],
];

const STATE = [
  ["hand_a", "A's cards", ""], ["hand_b", "B's cards", ""], ["upcard", "Prize exposed", "none"],
  ["prizes", "Prizes to come", ""], ["carried", "Points carried over", "0"], ["lead", "A's lead", "0"],
];

function control(name, label, hint, value, prefix) {
  const id = `${prefix}-${name}`;
  const input = CHOICES[name]
    ? make("select", { id, name }, CHOICES[name].map(([key, words]) =>
      make("option", { value: key, selected: key === value }, words)))
    : make("input", { id, name, value, placeholder: hint, autocomplete: "off", spellcheck: "false" });
  return make("p", {}, make("label", { for: id }, label), input);
}

function written(form) {
  return Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, value.trim()]));
}

export function drawRules(form, answer, solve) {
  const given = { ...answer.rules, objective: answer.objective, games: String(answer.games) };
  redraw(form, RULES.map(([name, label, hint]) => control(name, label, hint, given[name], "rules")),
    make("p", { class: "go" }, make("button", { type: "submit", id: "solve" }, "Show this game")));
  form.onsubmit = (event) => {
    event.preventDefault();
    const fields = written(form);
    if (fields.objective === "margin") delete fields.objective;
    if (fields.games === "1") delete fields.games;
    solve(linkOf(fields));
  };
}

export function drawPosition(form, answer, link, show) {
  const given = Object.fromEntries(STATE.map(([name]) => {
    const value = answer.state[name];
    return [name, value === null ? "" : Array.isArray(value) ? value.join(" ") : String(value)];
  }));
  redraw(form, STATE.map(([name, label, hint]) => control(name, label, hint, given[name], "at")),
    make("p", { class: "go" }, make("button", { type: "submit", id: "show" }, "Show this position")));
  form.onsubmit = (event) => {
    event.preventDefault();
    const fields = {};
    for (const name of ["cards", "hand_a", "hand_b", "prizes", "ties", "order", "negative_stakes", "rounds", "objective", "games"]) {
      if (field(link, name)) fields[name] = field(link, name);
    }
    for (const [name, value] of Object.entries(written(form))) fields[`at_${name}`] = value;
    show(linkOf(fields));
  };
}

function linkOf(fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== "");
  return new URLSearchParams(given.map(([name, value]) => [name, value.split(/[\s,]+/).join(",")]))
    .toString().replaceAll("%2C", ",");
}
