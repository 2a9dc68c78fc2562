// Numbers and sentences for people.

export const SUITS = { a: "♣", b: "♠", prize: "♦" };

const MINUS = "\u2212";

export function number(value, digits = 4) {
  const written = Number(value).toFixed(digits);
  const zero = Number(written) === 0;
  if (zero && Math.abs(value) > 1e-12) {
    return Number(value).toExponential(0).replaceAll("-", MINUS);
  }
  return zero ? (0).toFixed(digits) : written.replace("-", MINUS);
}

// As short as it stands in a cell: what rounds to zero is zero.
export function rounded(value, digits) {
  const written = Number(value).toFixed(digits);
  return (Number(written) === 0 ? (0).toFixed(digits) : written).replace("-", MINUS);
}

export function signed(value, digits = 4) {
  const written = number(value, digits);
  return written.startsWith(MINUS) || Number(written) === 0 ? written : `+${written}`;
}

export function whole(value) {
  return String(value).replaceAll("-", MINUS);
}

export function percent(chance) {
  return `${number(100 * chance, chance > 0 && chance < 0.1 ? 1 : 0)} %`;
}

export function points(count) {
  return `${whole(count)} ${Math.abs(Number(count)) === 1 ? "point" : "points"}`;
}

// What became of a stake; `names` are what the players are called.
export function outcomeText(outcome, stake, names) {
  switch (outcome.taker) {
    case "a": return `${names.a} ${names.a === "You" ? "take" : "takes"} ${whole(stake)}`;
    case "b": return `${names.b} takes ${whole(stake)}`;
    case "table": return `a tie: ${whole(stake)} ${Math.abs(stake) === 1 ? "stays" : "stay"} on the table`;
    case "both": return `a tie: ${whole(outcome.gain_a)} each`;
    default: return `a tie: ${whole(stake)} removed`;
  }
}

export function leadText(lead, names) {
  if (lead === 0) return "no lead";
  const who = lead > 0 ? names.a : names.b;
  return `${who} ${who === "You" ? "lead" : "leads"} by ${whole(Math.abs(lead))}`;
}

export function gameText(answer) {
  const { rules } = answer;
  const ties = { carry: "tied prizes carried over", discard: "tied prizes removed", split: "tied prizes split" };
  const parts = [`${rules.cards} cards`, ties[rules.ties]];
  for (const [field, words] of [["hand_a", "A"], ["hand_b", "B"], ["prizes", "prizes"]]) {
    if (rules[field]) parts.push(`${words} ${rules[field]}`);
  }
  if (rules.order !== "random") parts.push(`prizes in order: ${rules.order}`);
  if (rules.negative_stakes !== "high_bid") parts.push("negative stakes to the low bid");
  if (rules.rounds) parts.push(`${rules.rounds} rounds`);
  parts.push(answer.objective === "win" ? "to win" : "for points");
  if (answer.games > 1) parts.push(`game ${answer.game} of ${answer.games}`);
  return parts.join(" · ");
}
