"use strict";
// The page is whole without this: it shows one state of the counterexample at a time, and the edges of one state of the graph.
(() => {
  document.documentElement.classList.add("scripted");
  const frames = [...document.querySelectorAll("#frames .frame")];
  const stepper = document.getElementById("stepper");
  if (frames.length > 0) {
    const list = document.getElementById("frames"), lanes = document.getElementById("lanes");
    const previous = document.getElementById("previous"), next = document.getElementById("next"), where = document.getElementById("where");
    let now = 0;
    const show = (n, follow) => {
      now = Math.max(0, Math.min(frames.length - 1, n));
      frames.forEach((f, i) => f.classList.toggle("now", i === now));
      for (const row of lanes.rows) [...row.cells].forEach((cell, i) => cell.classList.toggle("now", i === now + 1));
      where.textContent = `state ${now + 1} of ${frames.length}`;
      previous.disabled = now === 0;
      next.disabled = now === frames.length - 1;
      if (follow) {
        const cell = lanes.rows[0].cells[now + 1], box = lanes.parentElement;
        box.scrollLeft = cell.offsetLeft - (box.clientWidth - cell.offsetWidth) / 2;
        if (document.activeElement === document.body) stepper.focus(); // a button that was just switched off lost it
      }
    };
    list.classList.add("stepping");
    previous.addEventListener("click", () => show(now - 1, true));
    next.addEventListener("click", () => show(now + 1, true));
    stepper.addEventListener("keydown", (event) => {
      const to = { ArrowLeft: now - 1, ArrowUp: now - 1, ArrowRight: now + 1, ArrowDown: now + 1, Home: 0, End: frames.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      show(to, true);
    });
    show(0, false);
  }

  const graph = document.getElementById("states"), pick = document.getElementById("pick");
  if (graph && pick) {
    const list = document.getElementById("chosen");
    const edges = [...graph.querySelectorAll(".edge")], nodes = [...graph.querySelectorAll(".node")];
    const choose = (n) => {
      graph.classList.toggle("chosen", n !== "");
      const near = new Set([n]);
      for (const e of edges) {
        const on = e.dataset.from === n || e.dataset.to === n;
        e.classList.toggle("on", on);
        if (on) near.add(e.dataset.from).add(e.dataset.to);
      }
      for (const g of nodes) g.classList.toggle("on", near.has(g.dataset.node));
      list.replaceChildren(...(n === pick.value ? edges.filter((e) => e.classList.contains("on")) : []).map((e) => {
        const line = document.createElement("li");
        line.textContent = e.textContent;
        return line;
      }));
    };
    for (const g of nodes) {
      g.addEventListener("pointerenter", () => choose(g.dataset.node));
      g.addEventListener("pointerleave", () => choose(pick.value));
      g.addEventListener("click", () => { pick.value = g.dataset.node; choose(pick.value); });
    }
    pick.addEventListener("change", () => choose(pick.value));
  }
})();
