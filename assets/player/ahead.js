// Films that may come next are fetched while the viewer thinks, so that the next one begins at once. Not where data is
// dear or the line is slow, and not before the film that plays has come.

const MOST = 3;
const EVERY = 500; // ms
const video = document.getElementById("video");

let wanted = [];
let held = new Map(); // films by address, each in an element that is never shown

const isDear = () => {
  const line = navigator.connection;
  return Boolean(line) && (line.saveData || ["slow-2g", "2g"].includes(line.effectiveType));
};

// Whether the film that plays needs the line no more.
function isThere() {
  if (video.ended || video.error || !video.getAttribute("src")) return true;
  const { buffered, duration } = video;
  return buffered.length > 0 && buffered.end(buffered.length - 1) >= duration - 0.5;
}

let fetching = null; // one after the other: the likeliest is whole first
let looking = 0;

function fetchNext() {
  clearTimeout(looking);
  if (fetching || wanted.length === 0 || isDear()) return;
  // A browser may know how much of a film it has only after the last event that reports it.
  if (!isThere()) return void (looking = setTimeout(fetchNext, EVERY));
  const url = wanted.shift();
  if (held.has(url)) return void fetchNext();
  const film = document.createElement("video");
  const done = () => {
    if (fetching !== film) return;
    fetching = null;
    fetchNext();
  };
  for (const event of ["canplaythrough", "error", "suspend"]) film.addEventListener(event, done, { once: true });
  fetching = film;
  film.muted = true;
  film.preload = "auto";
  film.src = url;
  held.set(url, film);
}

// These films may come next, the likeliest first; what others were fetched is let go.
export function ahead(urls) {
  wanted = [...new Set(urls)].slice(0, MOST);
  for (const [url, film] of held) {
    if (wanted.includes(url)) continue;
    film.removeAttribute("src");
    film.load();
    held.delete(url);
    if (fetching === film) fetching = null;
  }
  fetchNext();
}

// The answers are gone: what was not fetched by then is not needed.
export function enough() {
  wanted = [];
}

// As much of a film as its first frame takes, mostly, bytes.
const FIRST = 7 * 1024;

// The beginning of the film that Play begins with: the browser keeps it, so that less has to come before its first frame.
// (Chromium shows none before it has 32 KB; all of them would be too much for who never plays.) Of films on other sites
// nothing may be read that way.
export function begin(url) {
  if (!url || isDear() || new URL(url, location.href).origin !== self.origin) return;
  const request = fetch(url, { headers: { range: `bytes=0-${FIRST - 1}` }, priority: "low" });
  // Where a service sends the whole film all the same, the rest is not waited for.
  request.then((response) => (response.status === 206 ? response.arrayBuffer() : response.body?.cancel())).catch(() => {});
}

for (const event of ["progress", "suspend", "ended", "error"]) video.addEventListener(event, fetchNext);
