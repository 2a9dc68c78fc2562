// Where answers come from in a file: from tables inside it, in which everything is looked up.

import { begin } from "./app.js";
import { byId } from "./dom.js";
import { bidding, exposing, fromTheStart, stepsOf } from "./links.js";

async function unpacked() {
  const bytes = Uint8Array.from(atob(byId("data").textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

const without = (cards, card) => {
  const place = cards.indexOf(card);
  if (place < 0) throw new Error(`${card} is not among ${cards.join(", ")}`);
  return cards.toSpliced(place, 1);
};
const distinct = (cards) => [...new Set(cards)];

function exportedSource(data) {
  const { about } = data;

  // The same as `_Keys.key` in gops_lab/web/export.py.
  function keyOf(state, game) {
    const pattern = data.hands[`${state.hand_a.join(",")}|${state.hand_b.join(",")}`];
    const onTheTable = state.upcard === null ? state.carried : `=${state.upcard + state.carried}`;
    const lead = data.with_lead ? `|${state.lead}` : "";
    return `${game}|${pattern}|${state.prizes.join(",")}|${onTheTable}${lead}`;
  }

  function lookUp(state, game) {
    const record = data.states[keyOf(state, game)];
    if (!record) {
      throw new Error(data.whole ? "this position is not in the file"
        : "this file holds one line of play, and this position is not on it");
    }
    return record;
  }

  function outcomeOf(state, bidA, bidB) {
    const outcomes = data.outcomes[state.upcard + state.carried];
    if (!outcomes) throw new Error("this file holds one line of play, and this position is not on it");
    return outcomes[data.pairs[bidA][bidB]];
  }

  // Return a link's steps, if it is one of this game.
  function stepsHere(link) {
    if (fromTheStart(link) !== fromTheStart(data.link)) throw new Error("this file holds another game than the link");
    const games = stepsOf(link);
    if (games.flat().some((step) => ![1, 3].includes(step.length) || !step.every(Number.isInteger))) {
      throw new Error("line must be made of rounds like 5:3:4");
    }
    return games;
  }

  // Play a link's steps; `each` is called before the bids of every round.
  function walk(link, each = () => {}) {
    let state = data.begun;
    let at = null;
    stepsHere(link).forEach((steps, place) => {
      const first = place === 0 ? data.begun : { ...data.fresh, lead: state.lead };
      const table = { captured_a: [], captured_b: [], tied: [], gone: [], carried_before: first.carried };
      at = { game: place + 1, table, played: [] };
      state = first;
      for (const [upcard, bidA, bidB] of steps) {
        if (state.upcard !== upcard) state = { ...state, prizes: without(state.prizes, upcard), upcard };
        if (bidA === undefined) continue;
        const [handA, handB] = [without(state.hand_a, bidA), without(state.hand_b, bidB)];
        each(state, at.game);
        const outcome = outcomeOf(state, bidA, bidB);
        at.played.push({ ...outcome, upcard, stake: upcard + state.carried, bid_a: bidA, bid_b: bidB });
        table.tied.push(upcard);
        if (outcome.taker !== "table") {
          const pile = outcome.taker === "a" ? "captured_a" : outcome.taker === "b" ? "captured_b" : "gone";
          table[pile].push(...table.tied);
          Object.assign(table, { tied: [], carried_before: 0 });
        }
        state = {
          hand_a: handA, hand_b: handB, prizes: state.prizes, upcard: null,
          carried: outcome.carried, lead: state.lead + outcome.change,
        };
      }
    });
    return { ...at, state };
  }

  const half = (written) => {
    const [over, under = 1] = String(written).split("/").map(Number);
    return over / under;
  };

  function tableAnswer(link) {
    const { state, game, table, played } = walk(link);
    const over = about.dealt[0].length - state.hand_a.length === about.rounds;
    const record = over ? null : lookUp(state, game);
    return {
      link, ...about, game, state, over, lead: state.lead, played, table,
      points: ["gain_a", "gain_b"].map((gain) => played.reduce((sum, one) => sum + half(one[gain]), 0)),
      upcards: record?.upcards ?? [],
    };
  }

  function position(link) {
    const answer = tableAnswer(link);
    const { state } = answer;
    const record = lookUp(state, answer.game);
    const lead = data.with_lead ? 0 : state.lead;
    const value = record.value + lead;
    const error = record.error + data.rounding;
    return {
      ...answer, value, lower: value - error, upper: value + error,
      stage: record.payoffs ? stageAnswer(state, record, lead) : null,
    };
  }

  function stageAnswer(state, record, lead) {
    const bids = (ranks, numbers) => ranks.map((bid, place) => {
      const [probability, least, greatest, givenAway] = numbers[place];
      return { bid, probability, least, greatest, given_away: givenAway };
    });
    const [ranksA, ranksB] = [distinct(state.hand_a), distinct(state.hand_b)];
    return {
      payoffs: record.payoffs.map((row) => row.map((payoff) => payoff + lead)),
      a: bids(ranksA, record.a), b: bids(ranksB, record.b), gap: record.gap,
      pairs: ranksA.map((a) => ranksB.map((b) => data.pairs[a][b])),
      outcomes: data.outcomes[state.upcard + state.carried],
    };
  }

  function review(link) {
    const rounds = [];
    walk(link, (state, game) => rounds.push([state, game]));
    const { played, game } = walk(link);
    return rounds.filter(([, number]) => number === game).map(([state], place) => {
      const record = lookUp(state, game);
      const stage = stageAnswer(state, record, 0);
      const one = played[place];
      const mixture = (bids) => bids.map((bid) => [bid.bid, bid.probability]);
      const lost = (bids, rank) => bids.find((bid) => bid.bid === rank).given_away;
      return {
        ...one, value: record.value + (data.with_lead ? 0 : state.lead),
        given_away_a: lost(stage.a, one.bid_a), given_away_b: lost(stage.b, one.bid_b),
        optimal_a: mixture(stage.a), mixture_b: mixture(stage.b),
      };
    });
  }

  function drawn(pairs) {
    let left = Math.random() * pairs.reduce((sum, [, chance]) => sum + chance, 0);
    return (pairs.find(([, chance]) => (left -= chance) < 0) ?? pairs.findLast(([, chance]) => chance > 0))[0];
  }

  function draw(link, { bid = "" } = {}) {
    const { state, game } = walk(link);
    const record = lookUp(state, game);
    if (state.upcard === null) return exposing(link, drawn(record.upcards));
    const stage = stageAnswer(state, record, 0);
    const by = (bids) => drawn(bids.map((one) => [one.bid, one.probability]));
    return bidding(link, state.upcard, bid === "" ? by(stage.a) : Number(bid), by(stage.b));
  }

  const later = (answer) => async (...asked) => answer(...asked);
  return {
    start: async () => ({ link: data.link, opponents: ["optimal"] }),
    table: later(tableAnswer), position: later(position), draw: later(draw), review: later(review),
  };
}

unpacked().then((data) => begin(exportedSource(data)));
