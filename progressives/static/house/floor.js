// The claims queue: two taps, and rows that stay where they are.
"use strict";

(() => {
  const queue = document.getElementById("queue");
  if (!queue) return;

  const POLL = Number(queue.dataset.poll); // milliseconds between two looks
  const PATIENCE = 4000; // then a look counts as failed
  const ARMED = 6000; // then a first tap is forgotten
  const REFILL = 100; // a list that is not shown whole is loaded again when it gets so short
  const BOUNCE = 350; // a second tap so soon is the first one's echo

  const link = document.getElementById("link");
  const saidBox = document.getElementById("said");
  const csrf = queue.querySelector("[name=csrfmiddlewaretoken]").value;
  const title = document.title;
  const waitingRows = new Map(); // rows that changed under an armed finger

  let token = queue.dataset.token;
  let totals = {}; // how many claims each list has, shown or not
  let ahead = 0; // how far the server's clock is ahead of ours
  let lostSince = null;
  let timer = null;
  let looking = false;
  let loggedOut = false;
  let armed = null; // the form whose button was tapped once
  let sending = false;

  const rowOf = (id) => queue.querySelector(`tr[data-claim="${id}"]`);

  function say(text, refused) {
    saidBox.textContent = text;
    saidBox.classList.toggle("refused", refused);
    saidBox.hidden = !text;
  }

  // ---- rows ---------------------------------------------------------------------------

  function rowFrom(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html.trim(); // our own markup, escaped by the server
    return holder.content.firstElementChild;
  }

  function show(told) {
    const old = rowOf(told.id);
    if (old && Number(old.dataset.version) >= told.version) return;
    if (old && armed && old.contains(armed) && old.dataset.state === told.state) {
      waitingRows.set(told.id, told); // nothing moves or changes under the finger
      return;
    }
    if (old && armed && old.contains(armed)) disarm();
    const fresh = rowFrom(told.html);
    if (old) {
      old.replaceWith(fresh);
    } else {
      const end = told.list && queue.querySelector(`tbody[data-rows="${told.list}"]`);
      if (!end) return;
      if (capped(told.list)) return; // its turn comes after those that are not shown
      fresh.classList.add("fresh");
      end.append(fresh);
    }
  }

  const placeOf = (name) => queue.querySelector(`[data-count="${name}"]`);
  const capped = (name) => "capped" in placeOf(name).dataset; // only its oldest rows are shown

  function count() {
    let waiting = 0;
    for (const place of queue.querySelectorAll("[data-count]")) {
      const name = place.dataset.count;
      const rows = queue.querySelectorAll(`tr[data-list="${name}"]`).length;
      const all = capped(name) ? (totals[name] ?? Number(place.textContent)) : rows;
      place.textContent = all;
      const body = queue.querySelector(`tbody[data-rows="${name}"]`);
      body.closest("section").querySelector(".nothing").hidden = body.rows.length > 0;
      if (name === "waiting") waiting = all;
    }
    document.title = waiting ? `(${waiting}) ${title}` : title;
  }

  function sweep() {
    if (armed || sending) return;
    for (const row of queue.querySelectorAll("tr.done")) row.remove();
    count();
    const short = (body) => capped(body.dataset.rows) && body.rows.length < REFILL;
    if ([...queue.querySelectorAll("tbody")].some(short)) location.reload();
  }

  function tick() {
    const now = Date.now() + ahead;
    for (const time of queue.querySelectorAll("tr:not(.done) time[data-opened]")) {
      const seconds = Math.max(0, Math.floor(now / 1000 - Number(time.dataset.opened)));
      const two = (number) => String(number).padStart(2, "0");
      const minutes = Math.floor(seconds / 60);
      const hours = Math.floor(minutes / 60);
      if (minutes < 60) time.textContent = `${minutes}:${two(seconds % 60)}`;
      else if (hours < 48) time.textContent = `${hours} h ${two(minutes % 60)}`;
      else time.textContent = `${Math.floor(hours / 24)} days`;
    }
  }

  // ---- the line to the server ---------------------------------------------------------

  function connected() {
    lostSince = null;
    link.className = "link live";
    link.textContent = "Live";
  }

  function lost() {
    lostSince = lostSince || new Date();
    link.className = "link lost";
    link.textContent = `Not connected since ${lostSince.toLocaleTimeString()}: this may be old`;
  }

  function out() {
    loggedOut = true;
    clearTimeout(timer);
    link.className = "link lost";
    link.textContent = "You are logged out. ";
    const again = document.createElement("a");
    again.href = `${queue.dataset.login}?next=${encodeURIComponent(location.pathname)}`;
    again.textContent = "Log in";
    link.append(again);
    for (const button of queue.querySelectorAll("button")) button.disabled = true;
  }

  // Ask the server; null means that we are logged out.
  async function ask(url, options) {
    const stop = new AbortController();
    const patience = setTimeout(() => stop.abort(), PATIENCE);
    try {
      const response = await fetch(url, {
        headers: { Accept: "application/json" },
        credentials: "same-origin",
        cache: "no-store",
        signal: stop.signal,
        ...options,
      });
      if (response.redirected || response.status === 403) return null;
      if (response.status >= 500) throw new Error(`status ${response.status}`);
      return await response.json();
    } finally {
      clearTimeout(patience);
    }
  }

  async function look() {
    if (looking || loggedOut || document.hidden) return;
    looking = true;
    clearTimeout(timer);
    try {
      const told = await ask(`${queue.dataset.changes}?after=${encodeURIComponent(token)}`);
      if (told === null) return out();
      token = told.token;
      totals = told.counts;
      ahead = told.now - Date.now();
      told.rows.forEach(show);
      count();
      connected();
    } catch {
      lost();
    } finally {
      looking = false;
      if (!loggedOut && !document.hidden) timer = setTimeout(look, POLL);
    }
  }

  // ---- two taps -----------------------------------------------------------------------

  function arm(form) {
    if (armed) disarm();
    armed = form;
    const button = form.querySelector("button");
    form.dataset.label = button.textContent;
    form.dataset.since = Date.now();
    button.textContent = form.dataset.armed;
    button.classList.add("armed");
    form.timer = setTimeout(() => armed === form && disarm(), ARMED);
  }

  function disarm() {
    const form = armed;
    armed = null;
    clearTimeout(form.timer);
    const button = form.querySelector("button");
    button.textContent = form.dataset.label;
    button.classList.remove("armed");
    for (const told of waitingRows.values()) show(told);
    waitingRows.clear();
  }

  async function send(form) {
    sending = true;
    const button = form.querySelector("button");
    button.disabled = true;
    button.textContent = "…";
    try {
      const body = new URLSearchParams({ csrfmiddlewaretoken: csrf });
      const told = await ask(form.action, { method: "POST", body });
      if (told === null) return out();
      say(told.message, !told.ok);
      armed = null;
      waitingRows.clear();
      show(told.row);
      if (button.isConnected) restore(form, button);
      count();
    } catch {
      // Whether it arrived is not known: the next look shows how the claim stands.
      say("No answer. Wait until this row is up to date before you tap again.", true);
      lost();
      if (button.isConnected) restore(form, button);
    } finally {
      armed = null;
      sending = false;
      look();
    }
  }

  function restore(form, button) {
    button.disabled = false;
    button.classList.remove("armed");
    button.textContent = form.dataset.label;
  }

  queue.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.armed) return; // a page asks first
    event.preventDefault();
    if (sending) return;
    if (armed !== form) arm(form);
    else if (Date.now() - Number(form.dataset.since) > BOUNCE) {
      clearTimeout(form.timer);
      send(form);
    }
  });

  // Greyed rows go at the next touch, but never while a finger is about to come down again.
  document.addEventListener("click", () => setTimeout(sweep, 0));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) clearTimeout(timer);
    else look();
  });
  setInterval(tick, 1000);
  count();
  look();
})();
