// Where answers come from: the server that sent the page.

async function ask(name, query) {
  const response = await fetch(`api/${name}?${new URLSearchParams(query)}`).catch(() => {
    throw new Error("the server does not answer: is gops-lab explore still running?");
  });
  const type = response.headers.get("content-type") ?? "";
  if (response.ok) return type.includes("json") ? response.json() : response.blob();
  if (type.includes("json")) throw new Error((await response.json()).error);
  throw new Error(`the server answered ${response.status}`);
}

export const server = {
  start: () => ask("start", {}),
  table: (link) => ask("table", { link }),
  position: (link) => ask("position", { link }),
  draw: (link, { bid = "", against = "", seed = "" } = {}) =>
    ask("draw", { link, bid, against, seed }).then((drawn) => drawn.link),
  review: (link, against) => ask("review", { link, against }).then((found) => found.rounds),
  save: (link) => ask("export", { link }),
};
