// A visit: what a viewer does is numbered, kept until the service has it, and sent with the next sign of life. A reload
// and a while in another app belong to the same visit.

import { tell } from "./host.js";

// As long as the service keeps a silent visit open, ms.
const KEPT = 10 * 60 * 1000;
const MOST_AT_ONCE = 50;
const publish = document.body.dataset.publish;
export const here = `/play/${encodeURIComponent(publish)}`;
const heartbeat = Math.max(50, Number(document.body.dataset.heartbeat) || 10000);

// Browsers may forbid storage, as they do in a frame that a shop has closed in; then it is remembered until the page goes.
const unstored = new Map();

function read(store, name) {
  try {
    return window[store].getItem(name);
  } catch {
    return unstored.get(`${store} ${name}`) ?? null;
  }
}

function write(store, name, value) {
  try {
    if (value === null) window[store].removeItem(name);
    else window[store].setItem(name, value);
  } catch {
    unstored.set(`${store} ${name}`, value);
  }
}

export const setting = {
  get muted() {
    return read("localStorage", "cutaway-muted") === "yes";
  },
  set muted(on) {
    write("localStorage", "cutaway-muted", on ? "yes" : null);
  },
  get captions() {
    return read("localStorage", "cutaway-captions") === "yes";
  },
  set captions(on) {
    write("localStorage", "cutaway-captions", on ? "yes" : null);
  },
  get captionLanguage() {
    return read("localStorage", "cutaway-caption-language");
  },
  set captionLanguage(tag) {
    write("localStorage", "cutaway-caption-language", tag);
  },
};

export async function post(url, body) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

// Shops learn where a purchase is reported: the page around a frame by message, scripts beside it by event.
function announce(what, { sessionId, purchaseUrl }) {
  document.documentElement.dataset.purchaseUrl = purchaseUrl;
  tell(what, { sessionId, purchaseUrl });
}

let visit = fresh();
let place = null; // where the viewer is, for a reload
let timer = 0;

// What tells this visit from any other before the service answered, in case its answer gets lost.
function random() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fresh(waiting = [], key = random()) {
  return {
    key,
    session: null, // what the service answered when the visit began
    beginning: null, // settles once it did
    failed: false, // whether it did not
    waiting: waiting.map((event, number) => ({ ...event, number })), // events that the service does not have yet
    next: waiting.length,
    over: false,
  };
}

function save() {
  const { session, waiting, next, over } = visit;
  const kept = session && !over && place ? { session, waiting, next, place, at: Date.now() } : null;
  write("sessionStorage", `cutaway:${publish}`, kept && JSON.stringify(kept));
}

// Where the viewer is: it is there again after a reload.
export function remember(where) {
  place = where;
  save();
}

// What a page that was reloaded in the middle of a visit goes on with; nothing where there is none.
export function saved() {
  try {
    const kept = JSON.parse(read("sessionStorage", `cutaway:${publish}`));
    return kept && Date.now() - kept.at < KEPT ? kept : null;
  } catch {
    return null;
  }
}

export function resume({ session, waiting, next, place: where }) {
  visit = { ...fresh(), session, waiting, next, beginning: Promise.resolve() };
  place = where;
  announce("visit", session);
  beat();
  happened("resumed");
  report();
}

function beat() {
  clearInterval(timer);
  // Where a visit could not begin, it is tried again with the next sign of life; nothing of it was sent yet.
  timer = setInterval(() => (visit.failed ? begin(visit.waiting, visit.key) : report()), heartbeat);
}

export function begin(waiting, key) {
  const begun = (visit = fresh(waiting, key));
  const anonymousId = read("localStorage", "cutaway-viewer") || undefined;
  begun.beginning = post(`${here}/visits`, { anonymousId, key: begun.key })
    .then((session) => {
      begun.session = session;
      write("localStorage", "cutaway-viewer", session.anonymousId);
      announce("visit", session);
      save();
      return report(begun);
    })
    .catch(() => {
      begun.failed = true;
    });
  beat();
}

export const isOver = () => visit.over || !visit.beginning;

export function happened(eventName, { step, video, text } = {}) {
  if (isOver()) return;
  visit.waiting.push({ number: visit.next++, eventName, stepName: step, videoName: video, text, at: Date.now() });
  save();
}

// At most as many as the service takes at once; the rest goes with the next sign of life.
function batch({ waiting }) {
  const now = Date.now();
  return waiting.slice(0, MOST_AT_ONCE).map(({ at, ...event }) => ({ ...event, ago: Math.max(0, now - at) }));
}

// What the service has is not sent again; where that is not known, it is, and the service knows it by its number.
async function send(of, ended) {
  const events = batch(of);
  const answer = await post(of.session.eventsUrl, { events, ended: ended && of.waiting.length <= events.length });
  // A visit that had ended took nothing: what happened belongs to the next one.
  if (!answer.open && !ended) return answer;
  of.waiting = of.waiting.filter(({ number }) => !events.some((sent) => sent.number === number));
  save();
  return answer;
}

export async function report(of = visit) {
  if (!of.session || of.over || document.visibilityState === "hidden") return;
  try {
    const { open } = await send(of, false);
    // It ended meanwhile, in a window that nobody looked at for long.
    if (!open && !of.over && of === visit) begin(of.waiting);
  } catch {
    // They wait for the next time.
  }
}

export async function end() {
  const ended = visit;
  if (ended.over) return;
  ended.over = true;
  clearInterval(timer);
  save();
  await ended.beginning;
  if (!ended.session) return;
  // A few times where the net is away for a moment; after that the visit ends by itself.
  for (let tries = 0; tries < 3; tries++) {
    try {
      while (ended.waiting.length > MOST_AT_ONCE && (await send(ended, false)).open);
      await send(ended, true);
      break;
    } catch {
      await new Promise((later) => setTimeout(later, 1000 * (tries + 1)));
    }
  }
  announce("end", ended.session);
}

// Where the form goes; settles once the visit has begun.
export async function formUrl() {
  const { beginning } = visit;
  await beginning;
  return visit.session.formUrl;
}

// What the page around says was bought. The shop's own server is believed, and this is not.
export async function purchase(order) {
  const { session } = visit;
  if (!session) return false;
  return (await post(session.purchaseUrl, order)).reported;
}

addEventListener("online", () => (visit.failed ? begin(visit.waiting, visit.key) : report()));
addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden") return void report();
  save();
  if (!visit.session || visit.over) return;
  // It may be the last that is heard of it.
  const body = new Blob([JSON.stringify({ events: batch(visit) })], { type: "application/json" });
  navigator.sendBeacon(visit.session.eventsUrl, body);
});
addEventListener("pagehide", save);
