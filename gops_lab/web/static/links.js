// A position as one line of text: see gops_lab/web/position.py. Here it is only cut and joined.

function split(link) {
  const fields = new URLSearchParams(link);
  const games = (fields.get("line") ?? "").split("/")
    .map((line) => line.split(",").filter((step) => step));
  return { fields, games };
}

function join(fields, games) {
  const line = games.map((steps) => steps.join(",")).join("/");
  const copy = new URLSearchParams(fields);
  copy.delete("line");
  if (line) copy.set("line", line);
  return copy.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%2F", "/");
}

// The steps of every game: each a list of numbers, the prize and perhaps both bids.
export function stepsOf(link) {
  return split(link).games.map((steps) => steps.map((step) => step.split(":").map(Number)));
}

export function field(link, name) {
  return new URLSearchParams(link).get(name) ?? "";
}

export function withFields(link, changes) {
  const { fields, games } = split(link);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") fields.delete(name);
    else fields.set(name, value);
  }
  return join(fields, games);
}

export function exposing(link, prize) {
  const { fields, games } = split(link);
  games.at(-1).push(String(prize));
  return join(fields, games);
}

// `upcard` is needed where the line begins with a prize exposed.
export function bidding(link, upcard, bidA, bidB) {
  const { fields, games } = split(link);
  const steps = games.at(-1);
  if (steps.length && !steps.at(-1).includes(":")) steps.pop();
  steps.push(`${upcard}:${bidA}:${bidB}`);
  return join(fields, games);
}

export function nextGame(link) {
  const { fields, games } = split(link);
  return join(fields, [...games, []]);
}

export function back(link) {
  const { fields, games } = split(link);
  const steps = games.at(-1);
  if (!steps.length) {
    if (games.length > 1) games.pop();
    return join(fields, games);
  }
  const last = steps.pop();
  if (last.includes(":")) steps.push(last.split(":")[0]);
  return join(fields, games);
}

// Whether play that went on from a link can have come to another.
export function leadsTo(link, later) {
  if (fromTheStart(link) !== fromTheStart(later)) return false;
  const [here, there] = [split(link), split(later)];
  const earlier = here.games.slice(0, -1);
  if (earlier.some((steps, game) => steps.join() !== there.games[game]?.join())) return false;
  const steps = here.games.at(-1);
  const after = there.games[here.games.length - 1] ?? [];
  return steps.length <= after.length
    && steps.every((step, place) => step === after[place]
      || (place === steps.length - 1 && after[place].startsWith(`${step}:`)));
}

// One step on from a link, the way that leads to a later one; the same where it is there.
export function forward(link, later) {
  const [here, there] = [split(link), split(later)];
  const steps = here.games.at(-1);
  const after = there.games[here.games.length - 1];
  const last = steps.at(-1);
  if (steps.length && last !== after[steps.length - 1]) steps[steps.length - 1] = after[steps.length - 1];
  else if (steps.length < after.length) steps.push(after[steps.length].split(":")[0]);
  else if (here.games.length < there.games.length) here.games.push([]);
  return join(here.fields, here.games);
}

// Before the bids of a round of the present game; rounds count from 0.
export function beforeBids(link, round) {
  const { fields, games } = split(link);
  const steps = games.at(-1).slice(0, round + 1);
  if (steps.length) steps.push(steps.pop().split(":")[0]);
  return join(fields, [...games.slice(0, -1), steps]);
}

export function throughGame(link, game) {
  const { fields, games } = split(link);
  return join(fields, games.slice(0, game));
}

export function fromTheStart(link) {
  const { fields } = split(link);
  return join(fields, [[]]);
}

// Without line and start: the rules, the objective, the games of a match.
export function gameOnly(link) {
  const { fields } = split(link);
  for (const name of [...fields.keys()]) if (name.startsWith("at_")) fields.delete(name);
  return join(fields, [[]]);
}
