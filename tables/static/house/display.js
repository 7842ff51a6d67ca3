// A table's display: a meter value is shown for as long as it is fresh, and no longer.
"use strict";

(() => {
  const display = document.getElementById("display");
  if (!display) return;

  const POLL = 1000; // milliseconds between two looks
  const PATIENCE = 2500; // then a look counts as failed
  const state = document.getElementById("state");
  const why = document.getElementById("why");
  const meters = document.getElementById("meters");

  let until = 0; // by our own clock, which nobody sets
  let taking = false;
  let reason = "";

  // What an answer says holds from when it was asked for: the way back may have been long.
  async function look() {
    const asked = performance.now();
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const answer = await fetch(display.dataset.now, {
        headers: { Accept: "application/json" },
        credentials: "same-origin",
        cache: "no-store",
        redirect: "error",
        signal: stop.signal,
      });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      until = asked + told.fresh_seconds * 1000;
      taking = told.progressive_wagers;
      reason = told.detail;
      show(told.meters);
    } catch {
      // What was known stays until it is no longer fresh.
    } finally {
      clearTimeout(patience);
      setTimeout(look, POLL);
    }
  }

  function show(found) {
    meters.replaceChildren(
      ...found.map((meter) => {
        const row = document.createElement("div");
        const name = document.createElement("span");
        const value = document.createElement("b");
        name.textContent = `${meter.progressive} ${meter.level}`;
        value.textContent = meter.said;
        value.dataset.sequence = meter.sequence;
        row.append(name, value);
        return row;
      }),
    );
  }

  function tick() {
    const fresh = performance.now() < until;
    const open = fresh && taking;
    display.className = open ? "open" : "shut";
    state.textContent = open ? "Progressive wagers are taken" : "No progressive wagers";
    why.textContent = fresh ? reason : "There is no fresh meter value.";
    meters.hidden = !open;
  }

  tick();
  setInterval(tick, 200);
  look();
})();
