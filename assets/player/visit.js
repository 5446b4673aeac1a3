// A visit: what a viewer does is numbered, kept until the service has it, and sent with the next sign of life. A reload
// and a while in another app belong to the same visit.

import { tell } from "./host.js";

// As long as the service keeps a silent visit open, ms.
const KEPT = 10 * 60 * 1000;
const MOST_AT_ONCE = 50;
// What the service keeps of a text, characters, and what one report may weigh, bytes: it takes a little more than that.
const MOST_TEXT = 500;
const MOST_BYTES = 24000;
const publish = document.body.dataset.publish;
export const here = `/play/${encodeURIComponent(publish)}`;
const heartbeat = Math.max(50, Number(document.body.dataset.heartbeat) || 10000);

// Browsers may forbid storage, as they do in a frame that a shop has closed in; then it is remembered until the page goes.
const unstored = new Map();

// Another frame of this window may play the same project, and a window that was duplicated has the other's storage: who
// came second keeps its visit to itself.
let isShared = false;

function read(store, name) {
  try {
    if (isShared && store === "sessionStorage") throw new Error("another's");
    return window[store].getItem(name);
  } catch {
    return unstored.get(`${store} ${name}`) ?? null;
  }
}

function write(store, name, value) {
  try {
    if (isShared && store === "sessionStorage") throw new Error("another's");
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

let visit = fresh();
let leaving = []; // visits that ended here, which the service does not know yet
let place = null; // where the viewer is, for a reload
let timer = 0;
let rests = false; // whether the visit gives no sign of life

// What tells this visit from any other before the service answered, in case its answer gets lost.
function random() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function fresh({ key = random(), session = null, waiting = [], next = waiting.length } = {}) {
  return {
    key,
    session, // what the service answered when the visit began
    beginning: null, // settles once it did
    failed: false, // whether it did not
    waiting, // events that the service does not have yet
    next, // the number of the next event
    ending: false, // whether the viewer is through
    over: false, // whether the service knows that, or never will
  };
}

const kept = ({ key, session, waiting, next }) => ({ key, session, waiting, next, at: Date.now() });

function save() {
  const now = visit.beginning && !visit.ending && place ? JSON.stringify({ ...kept(visit), place }) : null;
  write("sessionStorage", `cutaway:${publish}`, now);
  write("sessionStorage", `cutaway-left:${publish}`, leaving.length > 0 ? JSON.stringify(leaving.map(kept)) : null);
}

// Where the viewer is: it is there again after a reload.
export function remember(where) {
  place = where;
  save();
}

function stored(name) {
  try {
    return JSON.parse(read("sessionStorage", `${name}:${publish}`));
  } catch {
    return null;
  }
}

// What a page that was reloaded in the middle of a visit goes on with; nothing where there is none.
export function saved() {
  const found = stored("cutaway");
  return found && Date.now() - found.at < KEPT ? found : null;
}

/* ---- the service ---- */

// Asks the service to begin a visit, or to end one, or tells it what happened, whatever is next.
function sign(of) {
  if (of.over) return;
  if (of.failed) connect(of);
  else if (of.ending) conclude(of);
  else if (!rests) report(of);
}

function pulse() {
  for (const of of leaving) sign(of);
  if (!visit.ending) sign(visit);
}

function beat() {
  rests = false;
  clearInterval(timer);
  timer = setInterval(pulse, heartbeat);
}

// Gives no sign of life until it is resumed.
export function rest() {
  report();
  rests = true;
}

// What the service will never take, however often it is sent.
const isRefused = ({ message }) => /^4/.test(message) && message !== "408" && message !== "429";

function connect(of) {
  const anonymousId = read("localStorage", "cutaway-viewer") || undefined;
  of.failed = false;
  of.beginning = post(`${here}/visits`, { anonymousId, key: of.key })
    .then((session) => {
      of.session = session;
      write("localStorage", "cutaway-viewer", session.anonymousId);
      if (of === visit) announce(session);
      save();
      return of.ending ? conclude(of) : report(of);
    })
    .catch((error) => {
      // It is tried again with the next sign of life; nothing of it was sent yet.
      of.failed = true;
      if (of.ending && isRefused(error)) gone(of);
    });
}

// Shops learn where a purchase is reported: the page around a frame by message, scripts beside it by event.
function announce({ sessionId, purchaseUrl }) {
  document.documentElement.dataset.purchaseUrl = purchaseUrl;
  tell("visit", { sessionId, purchaseUrl });
}

export function begin(waiting = []) {
  visit = fresh({ waiting: waiting.map((event, number) => ({ ...event, number })) });
  connect(visit);
  beat();
}

export function resume({ place: where, ...found }) {
  visit = fresh(found);
  place = where;
  if (visit.session) {
    visit.beginning = Promise.resolve();
    announce(visit.session);
  } else connect(visit);
  beat();
  happened("resumed");
  report();
}

export const isOver = () => visit.ending || !visit.beginning;

const cut = (text) => (text?.length > MOST_TEXT ? [...text].slice(0, MOST_TEXT).join("") : text);

export function happened(eventName, { step, video, text } = {}) {
  if (isOver()) return;
  const [stepName, videoName] = [cut(step), cut(video)];
  visit.waiting.push({ number: visit.next++, eventName, stepName, videoName, text: cut(text), at: Date.now() });
  save();
}

// At most as much as the service takes at once; the rest goes with the next sign of life.
function batch({ waiting }) {
  const now = Date.now();
  const events = [];
  let bytes = 0;
  for (const { at, ...event } of waiting.slice(0, MOST_AT_ONCE)) {
    const sent = { ...event, ago: Math.max(0, now - at) };
    bytes += new TextEncoder().encode(JSON.stringify(sent)).length;
    if (events.length > 0 && bytes > MOST_BYTES) break;
    events.push(sent);
  }
  return events;
}

const message = (of) => {
  const events = batch(of);
  return { events, ended: of.ending && events.length === of.waiting.length };
};

// What the service has is not sent again; where that is not known, it is, and the service knows it by its number.
async function send(of) {
  const sent = message(of);
  const answer = await post(of.session.eventsUrl, sent);
  // A visit that had ended took nothing: what happened belongs to the next one.
  if (!answer.open && !of.ending) return answer;
  of.waiting = of.waiting.filter(({ number }) => !sent.events.some((event) => event.number === number));
  save();
  return answer;
}

export async function report(of = visit) {
  if (!of.session || of.ending || document.visibilityState === "hidden") return;
  try {
    const { open } = await send(of);
    // It ended meanwhile, in a window that nobody looked at for long.
    if (!open && !of.ending && of === visit) begin(of.waiting);
  } catch {
    // They wait for the next time.
  }
}

function gone(of) {
  of.over = true;
  leaving = leaving.filter((other) => other !== of);
  save();
}

// Tells the service the rest of a visit, and that it ended: now, else with each sign of life until it knows.
async function conclude(of) {
  if (!of.session || of.concluding) return;
  of.concluding = true;
  try {
    while ((await send(of)).open);
    gone(of);
    const { sessionId, purchaseUrl } = of.session;
    tell("end", { sessionId, purchaseUrl });
  } catch (error) {
    if (isRefused(error)) gone(of);
  }
  of.concluding = false;
}

export function end() {
  if (visit.ending) return;
  visit.ending = true;
  leaving.push(visit);
  save();
  sign(visit);
}

// Where the form goes; settles once the visit has begun.
export async function formUrl() {
  if (visit.failed) connect(visit);
  await visit.beginning;
  return visit.session.formUrl;
}

// What the page around says was bought. The shop's own server is believed, and this is not.
export async function purchase(order) {
  const { session } = visit;
  if (!session) return false;
  return (await post(session.purchaseUrl, order)).reported;
}

addEventListener("online", pulse);
addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden") return pulse();
  save();
  // It may be the last that is heard of it. A beacon of plain text asks nobody first, which a page that goes can't wait for.
  for (const of of visit.ending || rests ? leaving : [...leaving, visit]) {
    if (of.session) navigator.sendBeacon(of.session.eventsUrl, new Blob([JSON.stringify(message(of))], { type: "text/plain" }));
  }
});

/* ---- whose storage it is ---- */

let release = null;
let queue = null; // ends the wait for the storage
let whenOurs = () => {};

// One page of a window keeps its visit in the window's storage; the lock is free again when that page is left. A page
// that is being left has a moment for that, and on a busy machine it may need longer: then the storage is this page's
// as soon as it is free, unless something was seen here by then.
async function hold() {
  if (!navigator.locks) {
    isShared = window.parent !== window;
    return;
  }
  try {
    const tab = sessionStorage.getItem("cutaway-tab") ?? random();
    sessionStorage.setItem("cutaway-tab", tab);
    const waiting = new AbortController();
    const { signal } = waiting;
    queue = waiting;
    await new Promise((known, failed) => {
      let late = false;
      const patience = setTimeout(() => {
        late = isShared = true;
        known();
        // Another page that is being left is gone by then; one that still plays keeps its visit.
        setTimeout(() => waiting.abort(), 10000);
      }, 500);
      const keep = () => {
        clearTimeout(patience);
        if (signal.aborted || (late && place)) return null;
        isShared = false;
        known();
        if (late) {
          takeUp();
          whenOurs();
        }
        return new Promise((free) => {
          release = free;
        });
      };
      navigator.locks.request(`cutaway:${publish}:${tab}`, { signal }, keep).catch(failed);
    });
  } catch (error) {
    // Without an origin there is neither a lock nor a storage.
    isShared = error.name !== "SecurityError";
  }
}

// Says when the window's storage became this page's after all: there may be a visit in it to go on with.
export function onceOurs(listener) {
  whenOurs = listener;
}

// What an earlier page of this window could not tell the service any more.
function takeUp() {
  leaving = (stored("cutaway-left") ?? []).map((found) => ({ ...fresh(found), ending: true, failed: !found.session }));
  if (leaving.length === 0) return;
  beat();
  pulse();
}

// Settles once it is known what this page may read and keep.
export const ready = hold().then(takeUp);

addEventListener("pagehide", () => {
  save();
  queue?.abort();
  release?.();
  release = null;
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) hold().then(save);
});
