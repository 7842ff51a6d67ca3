// The round page: one step after the other, by keyboard, mouse or finger. Without it all are shown.
"use strict";

(() => {
  const print = document.querySelector("[data-print]");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", () => window.print());
  }

  const stage = document.getElementById("round");
  if (!stage) return;
  const frames = [...stage.querySelectorAll("[data-frame]")];
  if (!frames.length) return;

  const stepper = stage.querySelector(".stepper");
  const title = stepper.querySelector("[data-title]");
  const count = stepper.querySelector("[data-count]");
  const all = stepper.querySelector('[data-go="all"]');
  const things = [...stage.querySelectorAll("[data-since], [data-until], [data-taken]")];
  const spots = [...stage.querySelectorAll(".spot")];
  const last = frames.length - 1;
  let current = 0;
  let showsAll = false;

  function show(step) {
    current = Math.min(Math.max(step, 0), last);
    const frame = frames[current];
    for (const one of frames) one.hidden = !showsAll && one !== frame;
    for (const one of frames) one.classList.toggle("current", one === frame);
    for (const thing of things) {
      const { since, until, taken } = thing.dataset;
      const later = since !== undefined && current < Number(since);
      const over = until !== undefined && current >= Number(until);
      thing.classList.toggle("away", later || over);
      thing.classList.toggle("taken", taken !== undefined && current >= Number(taken));
    }
    for (const spot of spots) {
      spot.classList.toggle("turn", spot.dataset.position === frame.dataset.position);
    }
    title.textContent = frame.dataset.name;
    count.textContent = `step ${current + 1} of ${frames.length}`;
    stepper.querySelector('[data-go="back"]').disabled = current === 0;
    stepper.querySelector('[data-go="first"]').disabled = current === 0;
    stepper.querySelector('[data-go="on"]').disabled = current === last;
    stepper.querySelector('[data-go="last"]').disabled = current === last;
    history.replaceState(null, "", `#step-${current}`);
  }

  const goes = {
    first: () => show(0),
    back: () => show(current - 1),
    on: () => show(current + 1),
    last: () => show(last),
    all: () => {
      showsAll = !showsAll;
      all.setAttribute("aria-pressed", String(showsAll));
      show(current);
    },
  };

  stepper.addEventListener("click", (event) => {
    const button = event.target.closest("[data-go]");
    if (button) goes[button.dataset.go]();
  });

  const keys = { ArrowRight: "on", ArrowLeft: "back", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const go = keys[event.key];
    if (!go) return;
    event.preventDefault();
    goes[go]();
  });

  document.body.classList.add("stepping");
  stepper.hidden = false;
  const asked = /^#step-(\d+)$/.exec(location.hash);
  show(asked ? Number(asked[1]) : 0);
})();
