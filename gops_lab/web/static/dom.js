// Elements, made without markup: text is never read as HTML.

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

export function byId(id) {
  return document.getElementById(id);
}

// Draw a part of the page anew; what had the focus has it again, if it is still there.
export function redraw(part, ...children) {
  const focused = part.contains(document.activeElement) ? document.activeElement.id : "";
  part.replaceChildren(...children.flat(Infinity).filter((child) => child !== null));
  if (focused) byId(focused)?.focus();
}

// Arrow keys go from one of a group's enabled buttons to the next.
export function arrows(group, columns = 0) {
  group.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    if (!steps[event.key]) return;
    const buttons = [...group.querySelectorAll("button:not(:disabled)")];
    const place = buttons.indexOf(document.activeElement);
    const next = place + steps[event.key];
    const sameRow = columns === 0 || Math.abs(steps[event.key]) !== 1
      || Math.floor(place / columns) === Math.floor(next / columns);
    if (place >= 0 && buttons[next] && sameRow) {
      buttons[next].focus();
      event.preventDefault();
    }
  });
  return group;
}
