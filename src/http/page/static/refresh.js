// Shows the newest numbers every fifteen seconds, unless somebody is about to use something on the page.
"use strict";

async function refresh() {
  const current = document.querySelector("main");
  if (document.hidden || current.contains(document.activeElement)) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const newest = page.querySelector("main");
  if (newest && !current.contains(document.activeElement)) current.replaceWith(newest);
}

// A failed request is tried again with the next one; the page shows how old its numbers are.
setInterval(() => refresh().catch(() => {}), 15000);
