// Shows ages as they pass, the newest numbers every ten seconds, and when the exporter does not answer. Pages work without it.
"use strict";

const EVERY = 10000;
const GONE_ICON = "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' stroke='%236e7781' stroke-width='3'><path d='M2 2l12 12M14 2L2 14'/></svg>";
const page = { title: document.title, icon: icon().href };
let answered = Date.now();
// When the last request was sent, and the first one since the last answer.
let asked = 0;
let unanswered = null;
// How far the exporter's clock is ahead of this one, as its answers say.
let ahead = 0;

function icon() { return document.querySelector("link[rel=icon]"); }
function two(number) { return String(number).padStart(2, "0"); }

function clock(time, seconds) {
  const hours = `${two(time.getHours())}:${two(time.getMinutes())}${seconds ? ":" + two(time.getSeconds()) : ""}`;
  const today = new Date(Date.now() + ahead).toDateString() === time.toDateString();
  return today ? hours : `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${hours}`;
}

function lasting(millis) {
  const seconds = Math.max(0, Math.round(millis / 1000));
  const [minutes, hours, days] = [60, 3600, 86400].map(unit => Math.floor(seconds / unit));
  if (days > 0) return `${days} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes % 60} min`;
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
}

function show(element) {
  const time = new Date(element.dateTime);
  const since = Date.now() + ahead - time;
  const text = {
    clock: () => clock(time, false),
    ago: () => lasting(since) + " ago",
    for: () => lasting(since),
    in: () => since < 0 ? "in " + lasting(-since) : "now",
  }[element.dataset.as]();
  element.title = time.toString();
  if (element.textContent !== text) element.textContent = text;
}

function tick() {
  document.querySelectorAll("time[data-as]").forEach(show);
  const gone = document.getElementById("gone");
  const since = new Date(answered + ahead);
  gone.hidden = unanswered === null || Date.now() - unanswered < 1.5 * EVERY;
  if (!gone.hidden) gone.textContent = `The exporter has not answered for ${lasting(Date.now() - answered)}. All numbers are from ${clock(since, true)}.`;
  document.body.classList.toggle("stale", !gone.hidden);
  document.title = gone.hidden ? page.title : "✕ No answer – kb-exporter";
  if (icon().href !== (gone.hidden ? page.icon : GONE_ICON)) icon().href = gone.hidden ? page.icon : GONE_ICON;
  document.getElementById("as-of").textContent = `Numbers of ${clock(since, true)}`;
}

// Replaces a part, unless somebody writes in it or has marked its text. What had the focus keeps it.
function replace(part) {
  const old = document.getElementById(part.id);
  const marked = getSelection();
  if (!old || (!marked.isCollapsed && old.contains(marked.anchorNode))) return;
  const focus = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  const scrolled = [...old.querySelectorAll(".scroll")].map(box => box.scrollLeft);
  old.replaceWith(part);
  [...part.querySelectorAll(".scroll")].forEach((box, place) => { box.scrollLeft = scrolled[place] || 0; });
  if (focus) [...part.querySelectorAll("a")].find(link => link.getAttribute("href") === focus)?.focus({ preventScroll: true });
}

async function refresh() {
  asked = Date.now();
  unanswered ??= asked;
  const response = await fetch(location.href, { signal: AbortSignal.timeout(10000) });
  if (!response.ok) return;
  const newest = new DOMParser().parseFromString(await response.text(), "text/html");
  answered = Date.now();
  unanswered = null;
  const date = Date.parse(response.headers.get("Date"));
  if (Math.abs(date - answered - ahead) > 2000) ahead = date - answered;
  page.title = newest.title;
  page.icon = newest.querySelector("link[rel=icon]").href;
  newest.querySelectorAll("[data-part]").forEach(replace);
  tick();
}

// A failed request is tried again with the next one; the page says how old its numbers are. A hidden page asks once a minute, for its title.
const again = () => { if (!document.hidden || Date.now() - asked >= 6 * EVERY) refresh().catch(() => {}); };
if (document.querySelector("[data-part]")) {
  setInterval(again, EVERY);
  setInterval(tick, 1000);
  document.addEventListener("visibilitychange", again);
  again();
}
document.querySelectorAll("time[data-as]").forEach(show);

document.addEventListener("keydown", event => {
  const filter = document.getElementById("name");
  if (event.key !== "/" || !filter || event.target.closest("input, select")) return;
  event.preventDefault();
  filter.focus();
});
