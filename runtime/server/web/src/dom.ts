// Small things that every part of the page does with its elements. Text is set as text, and only when it changed: a screen reader announces every write.

export function byID<T extends Element = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no #${id}`);
  return element as Element as T;
}

export function show(element: HTMLElement, visible: boolean): void {
  if (Boolean(element.hidden) === visible) element.hidden = !visible;
}

export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setAttribute(element: Element, name: string, value: string): void {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** A button that opens a part of the page and closes it: by itself, by Escape, and by a click elsewhere when `light`. */
export function toggles(button: HTMLElement, part: HTMLElement, changed: (open: boolean) => void, light: boolean): () => void {
  const set = (open: boolean) => {
    show(part, open);
    button.setAttribute("aria-expanded", String(open));
    changed(open);
  };
  button.addEventListener("click", () => set(Boolean(part.hidden)));
  part.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    set(false);
    button.focus();
  });
  if (light) {
    document.addEventListener("pointerdown", ({ target }) => {
      if (!part.hidden && target instanceof Node && !part.contains(target) && !button.contains(target)) set(false);
    });
  }
  return () => set(false);
}
