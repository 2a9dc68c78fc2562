// The page: one position, or one game that is played, and what is drawn of it.

import { arrows, byId, make, redraw } from "./dom.js";
import { drawPosition, drawRules } from "./forms.js";
import { back, beforeBids, bidding, exposing, forward, fromTheStart, leadsTo, nextGame } from "./links.js";
import { announcement, drawHint, drawReviews, drawSetup, drawTurn, lastRound } from "./play.js";
import { drawRounds } from "./rounds.js";
import { drawStage, drawValue } from "./stage.js";
import { drawTable } from "./table.js";
import { gameText, whole } from "./text.js";

const EXPLORING = { a: "A", b: "B" };
const PLAYING = { a: "You", b: "B" };

// Everything that the page remembers. `playing` is null while exploring; else who is played
// against, the seed of what is drawn, and what is shown besides the table. `trail` is the longest
// line that was come along, and the rounds of its last game: one can go back and forward on it.
const page = {
  source: null, link: "", answer: null, playing: null, opponents: [], chosen: {}, asked: 0,
  trail: { link: "", game: 0, played: [] },
};

function say(sentence) { byId("status").textContent = sentence; }

function complain(error) { byId("error").textContent = error ? error.message : ""; }

// Do what takes a while; what fails is said in one sentence and nothing changes.
async function doing(what, work) {
  page.asked += 1;
  const mine = page.asked;
  const slow = setTimeout(() => { if (mine === page.asked) say(what); }, 300);
  document.body.setAttribute("aria-busy", "true");
  try {
    const done = await work(() => mine === page.asked);
    if (mine === page.asked) complain(null);
    return done;
  } catch (error) {
    if (mine === page.asked) { complain(error); say(""); }
    return null;
  } finally {
    clearTimeout(slow);
    if (mine === page.asked) document.body.removeAttribute("aria-busy");
  }
}

function remember(push) {
  const { playing } = page;
  const extra = playing ? `&play=${encodeURIComponent(playing.against)}&seed=${playing.seed}` : "";
  const hash = `#${page.link}${playing?.begun ? extra : ""}`;
  if (hash !== location.hash) history[push ? "pushState" : "replaceState"](null, "", hash);
}

// Exploring

// The table is shown while the solution is awaited, and stays if there is none to be had.
function explore(link, push = true) {
  return doing("Solving\u2026", async (current) => {
    const show = (answer) => {
      if (!current()) return;
      const { link: here, game, played } = answer;
      const { trail } = page;
      const kept = leadsTo(here, trail.link) && game === trail.game;
      Object.assign(page, {
        link: here, answer, playing: null, chosen: {}, trail: kept ? trail : { link: here, game, played },
      });
      remember(push);
      draw();
    };
    const found = page.source.position(link);
    const quick = await Promise.race([found, later(250)]).catch(() => null);
    if (!quick) show(await page.source.table(link));
    push = push && Boolean(quick);
    const answer = await found.catch((error) => {
      if (current()) redraw(byId("stage"));
      throw error;
    });
    show(answer);
    if (current()) say(announcement(answer, EXPLORING));
  });
}

function later(milliseconds) {
  return new Promise((resolve) => { setTimeout(resolve, milliseconds, null); });
}

function goOn(bidA, bidB) {
  return explore(bidding(page.link, page.answer.state.upcard, bidA, bidB));
}

function choose(player, rank) {
  const { chosen } = page;
  chosen[player] = chosen[player] === rank ? undefined : rank;
  if (chosen.a !== undefined && chosen.b !== undefined) goOn(chosen.a, chosen.b);
  else draw();
}

function drawBoth() {
  return doing("Drawing\u2026", async () => {
    await explore(await page.source.draw(page.link, { seed: fresh() }));
  });
}

function fresh() {
  return String(crypto.getRandomValues(new Uint32Array(1))[0]);
}

function exploringTurn(answer) {
  const tools = make("p", { class: "buttons" },
    make("button", { type: "button", id: "back", class: "quiet", disabled: back(page.link) === page.link, onclick: () => explore(back(page.link)) }, "Back"),
    make("button", { type: "button", id: "forward", class: "quiet", disabled: page.link === page.trail.link, onclick: () => explore(forward(page.link, page.trail.link)) }, "Forward"),
    make("button", { type: "button", id: "restart", class: "quiet", disabled: fromTheStart(page.link) === page.link, onclick: () => explore(fromTheStart(page.link)) }, "From the start"));
  if (answer.over) {
    if (answer.game < answer.games) {
      tools.prepend(make("button", { type: "button", id: "next-game", onclick: () => explore(nextGame(page.link)) }, "Next game"));
    }
    return [make("p", { class: "turn result", id: "result" }, announcement({ ...answer, played: [] }, EXPLORING)), tools];
  }
  if (answer.state.upcard !== null) {
    tools.prepend(make("button", { type: "button", id: "draw", onclick: drawBoth }, "Draw both bids"));
    return [make("p", { class: "turn" }, "Choose a card of each player, or a pair of bids in the stage game."), tools];
  }
  const sure = answer.upcards.length === 1;
  tools.prepend(make("button", { type: "button", id: "draw", onclick: drawBoth }, "Draw a prize"));
  return [
    make("p", { class: "turn" }, sure ? "Expose the next prize:" : "Expose a prize:"),
    arrows(make("p", { class: "buttons prizes", role: "group", "aria-label": "prizes that can be exposed" }, answer.upcards.map(([prize, chance]) =>
      make("button", { type: "button", class: "card prize", id: `prize-${prize}`, "aria-label": `expose ${prize}, chance ${chance.toFixed(3)}`, onclick: () => explore(exposing(page.link, prize)) }, whole(prize))))),
    tools,
  ];
}

// Playing

function deal(link, against) {
  const playing = { against, seed: fresh(), hint: null, reviews: [], begun: true };
  return advance(link, playing, true);
}

// Go to a position of a game that is played; where a prize is to be exposed, chance exposes it.
// No bid is taken back: the browser's history has one entry for a game, the present position.
function advance(link, playing, push = false) {
  return doing("Dealing\u2026", async (current) => {
    let answer = await page.source.table(link);
    if (!answer.over && answer.state.upcard === null) {
      answer = await page.source.table(await page.source.draw(link, { seed: playing.seed }));
    }
    if (!current()) return;
    Object.assign(page, { link: answer.link, answer, playing: { ...playing, hint: null, reviews: [] }, chosen: {} });
    remember(push);
    draw();
    say(announcement(answer, PLAYING));
    if (answer.over) (byId("next-game") ?? byId("review"))?.focus();
    else if (!document.activeElement.matches("main *")) document.querySelector(".seat-a button.card")?.focus();
  });
}

function bid(player, rank) {
  const { playing, link } = page;
  return doing("B is thinking\u2026", async () => {
    const after = await page.source.draw(link, { bid: String(rank), against: playing.against, seed: playing.seed });
    await advance(after, playing);
  });
}

function hint() {
  if (page.playing.hint) {
    page.playing.hint = null;
    draw();
    return null;
  }
  return doing("Solving\u2026", async (current) => {
    const found = await page.source.position(page.link);
    if (!current()) return;
    page.playing.hint = found;
    draw();
    const best = found.stage.a.filter((one) => one.probability > 0.0005)
      .map((one) => `${one.bid} with probability ${one.probability.toFixed(2)}`);
    say(`Optimal: ${best.join(", ")}.`);
  });
}

function review() {
  return doing("Reviewing\u2026", async (current) => {
    const tables = await drawReviews(page.source, page.answer, page.playing.against, PLAYING);
    if (!current()) return;
    page.playing.reviews = tables;
    draw();
    say("The review is shown.");
    byId("reviews").scrollIntoView({ block: "nearest" });
  });
}

function setUp() {
  const { playing } = page;
  if (!page.answer) return;
  page.asked += 1;  // whatever was being found is not waited for
  document.body.removeAttribute("aria-busy");
  page.playing = { against: playing?.against ?? "optimal", begun: false };
  draw();
  byId("deal").focus();
}

// What is drawn

function draw() {
  const byKeyboard = document.activeElement?.matches("main :focus-visible");
  drawAll();
  // Who goes on with the keyboard finds the next thing to press where the last one was.
  if (byKeyboard && document.activeElement === document.body) {
    const next = [".prizes button", ".heat button[tabindex='0']", ".seat-a button.card", "#turn button:not(:disabled)"];
    next.map((selector) => document.querySelector(selector)).find((found) => found)?.focus();
  }
}

function drawAll() {
  const { answer, playing, chosen } = page;
  document.querySelector("main").hidden = false;
  const names = playing?.begun ? PLAYING : EXPLORING;
  const awaited = answer.state.upcard !== null;
  document.body.className = playing ? "play" : "explore";
  byId("mode-explore").setAttribute("aria-pressed", String(!playing));
  byId("mode-play").setAttribute("aria-pressed", String(Boolean(playing)));
  byId("game-name").textContent = gameText(answer);
  document.title = `${answer.rules.cards} cards \u2013 GOPS Lab`;
  const active = playing ? (playing.begun && awaited ? ["a"] : []) : awaited ? ["a", "b"] : [];
  redraw(byId("table"), drawTable(answer, {
    names, active, chosen, choose: playing ? bid : choose, last: lastRound(answer, names),
  }));
  redraw(byId("line"), drawRounds(page.trail.played, { names, current: answer.played.length, jump: jumpTo }));
  byId("line").hidden = Boolean(playing);
  byId("forms").hidden = Boolean(playing?.begun) || !page.source.save;
  byId("position-box").hidden = Boolean(playing);
  drawRules(byId("rules"), answer, playing ? changeRules : explore);
  drawPosition(byId("position"), answer, page.link, explore);
  if (!playing) {
    redraw(byId("turn"), exploringTurn(answer));
    redraw(byId("stage"), answer.value === undefined ? waitingText() : [
      drawValue(answer), answer.stage ? drawStage(answer, { names, go: goOn }) : comingText(answer),
    ]);
  } else if (!playing.begun) {
    redraw(byId("turn"));
    redraw(byId("stage"), drawSetup(answer, page.opponents, playing, deal));
  } else {
    redraw(byId("turn"), drawTurn(answer, names, playing.hint, {
      hint, review, again: setUp, next: () => advance(nextGame(page.link), playing),
    }));
    redraw(byId("stage"), playing.hint ? drawHint(playing.hint) : watching(answer));
  }
  redraw(byId("reviews"), playing?.reviews ?? []);
}

function waitingText() {
  return make("p", { class: "pair waiting" }, "Optimal play is shown here as soon as it is found.");
}

function comingText(answer) {
  return make("p", { class: "pair" }, answer.over
    ? "The game is over; nothing is left to decide."
    : "The stage game is shown once a prize is exposed. The value is the mean over the prizes that can come.");
}

function watching(answer) {
  const { against: name } = page.playing;
  const against = name === "optimal" ? "optimal play" : `the strategy ${name}`;
  return [
    make("h2", {}, `Against ${against}`),
    make("p", { class: "pair" }, answer.games > 1 ? `A match of ${answer.games} games; the totals are added.` : "One game."),
    drawRounds(answer.played, { names: PLAYING, current: -1, jump: null }) ?? make("p", { class: "fine" }, "No round has been played."),
  ];
}

function jumpTo(place) { return explore(beforeBids(page.trail.link, place)); }

async function changeRules(link) {
  await doing("Dealing\u2026", async (current) => {
    const answer = await page.source.table(link);
    if (!current()) return;
    Object.assign(page, { link: answer.link, answer });
    draw();
  });
}

// What the header does

byId("mode-explore").addEventListener("click", () => explore(page.link));
byId("mode-play").addEventListener("click", setUp);

byId("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(location.href).then(() => say("The link is copied."),
    () => say("The link is in the address bar."));
});

byId("save").addEventListener("click", () => doing("Writing the file\u2026", async () => {
  const file = await page.source.save(page.link);
  const address = URL.createObjectURL(file);
  make("a", { href: address, download: `gops-${page.answer.rules.cards}-cards.html` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60000);
  say("The file is saved.");
}));

window.addEventListener("popstate", () => open(location.hash.slice(1), false));

// Open what an address says: a position, or a game that is played.
function open(hash, push) {
  const fields = new URLSearchParams(hash);
  const [against, seed] = [fields.get("play"), fields.get("seed")];
  const link = hash.split("&").filter((part) => !/^(play|seed)=/.test(part)).join("&");
  if (against === null) return explore(link, push);
  return advance(link, { against, seed: seed ?? fresh(), hint: null, reviews: [], begun: true });
}

export async function begin(source) {
  page.source = source;
  byId("save").hidden = !source.save;
  await doing("Opening\u2026", async () => {
    const { link, opponents } = await source.start();
    page.opponents = opponents;
    const hash = location.hash.slice(1);
    await open(hash || link, false);
    if (!page.answer) {  // a link that cannot be read: say so, and show something
      const message = byId("error").textContent;
      await open(link, false);
      byId("error").textContent = message;
    }
  });
}
