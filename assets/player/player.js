// Plays a project: a film, a question, the way on. Everything it says stands on the page as text, everything it can do is
// a button. What happens is reported as a visit; where that fails, the film plays on.
"use strict";

const part = (id) => document.getElementById(id);
const player = part("player");
const video = part("video");
const overlay = part("overlay");
const here = `/play/${encodeURIComponent(document.body.dataset.publish)}`;
const heartbeat = Math.max(50, Number(document.body.dataset.heartbeat) || 10000);

/* ---- the visit ---- */

let visit = fresh();
let timer = 0;

function fresh(waiting = []) {
  return {
    session: null, // what the service answered when the visit began
    beginning: null, // settles once it did
    failed: false, // whether it did not
    waiting, // events that the service does not have yet
    next: waiting.length,
    over: false,
  };
}

// The same viewer in all visits of this browser; nothing where the browser keeps nothing.
function anonymous() {
  try {
    return localStorage.getItem("cutaway-viewer") || undefined;
  } catch {
    return undefined;
  }
}

function remember(id) {
  try {
    localStorage.setItem("cutaway-viewer", id);
  } catch {
    // Then the next visit is by somebody else.
  }
}

async function post(url, body) {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    keepalive: true,
  });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// Shops learn where a purchase is reported: the page around a frame by message, scripts beside it by event.
function announce(what, { sessionId, purchaseUrl }) {
  const detail = { type: `cutaway:${what}`, sessionId, purchaseUrl };
  document.documentElement.dataset.purchaseUrl = purchaseUrl;
  document.dispatchEvent(new CustomEvent(detail.type, { detail }));
  if (window.parent !== window) window.parent.postMessage(detail, "*");
}

function beginVisit(waiting) {
  const begun = (visit = fresh(waiting));
  begun.beginning = post(`${here}/visits`, { anonymousId: anonymous() })
    .then((session) => {
      begun.session = session;
      remember(session.anonymousId);
      announce("visit", session);
      return report(begun);
    })
    .catch(() => {
      begun.failed = true;
    });
  clearInterval(timer);
  // Where it could not begin, it is tried again with the next sign of life; nothing of it was sent yet.
  timer = setInterval(() => (visit.failed ? beginVisit(visit.waiting) : report()), heartbeat);
}

function happened(eventName, text) {
  if (visit.over || !visit.beginning) return;
  visit.waiting.push({
    number: visit.next++,
    eventName,
    stepName: current?.name,
    videoName: current?.video?.name,
    text,
    at: performance.now(),
  });
}

// At most as many as the service takes at once; the rest goes with the next sign of life.
function batch({ waiting }) {
  const now = performance.now();
  return waiting.slice(0, 50).map(({ at, ...event }) => ({ ...event, ago: Math.round(now - at) }));
}

// What the service has is not sent again; where that is not known, it is, and the service knows it by its number.
async function send(of, ended) {
  const events = batch(of);
  const answer = await post(of.session.eventsUrl, { events, ended: ended && of.waiting.length <= events.length });
  of.waiting = of.waiting.filter(({ number }) => !events.some((sent) => sent.number === number));
  return answer;
}

async function report(of = visit) {
  if (!of.session || of.over || document.visibilityState === "hidden") return;
  try {
    const { open } = await send(of, false);
    // It ended meanwhile, in a window that nobody looked at: what happens now is another visit.
    if (!open && !of.over && of === visit) beginVisit();
  } catch {
    // They wait for the next time.
  }
}

async function endVisit() {
  const ended = visit;
  if (ended.over) return;
  ended.over = true;
  clearInterval(timer);
  await ended.beginning;
  if (!ended.session) return;
  // A few times where the net is away for a moment; after that the visit ends by itself.
  for (let tries = 0; tries < 3; tries++) {
    try {
      while (ended.waiting.length > 50) await send(ended, false);
      await send(ended, true);
      break;
    } catch {
      await new Promise((later) => setTimeout(later, 1000 * (tries + 1)));
    }
  }
  announce("end", ended.session);
}

addEventListener("visibilitychange", () => {
  if (document.visibilityState !== "hidden") return void report();
  if (!visit.session || visit.over) return;
  const body = new Blob([JSON.stringify({ events: batch(visit) })], { type: "application/json" });
  navigator.sendBeacon(visit.session.eventsUrl, body);
});

/* ---- the film ---- */

let project = null;
let steps = new Map();
let current = null;
let way = []; // the steps before this one
let asked = false; // whether the answers of this step are shown

const show = (id, shown) => {
  part(id).hidden = !shown;
};

function say(text) {
  part("said").textContent = text;
}

function notice(text) {
  part("notice").textContent = text;
  show("notice", Boolean(text));
}

function state(name) {
  player.dataset.state = name;
  show("start-panel", name === "ready");
  show("answers", name === "asking");
  show("skip-panel", name === "playing");
  show("end", name === "end" || name === "stuck");
  const film = Boolean(current?.video?.url) && ["playing", "asking"].includes(name);
  show("pause", film && !video.ended && !video.error);
  show("sound", film);
  show("back", way.length > 0 && name !== "ready" && name !== "end");
}

function openStep(name, { back = false } = {}) {
  if (!back && current) way.push(current.name);
  current = steps.get(name);
  asked = false;
  notice("");
  part("answers").replaceChildren();
  overlay.textContent = current.overlayText || current.title || project.name;
  happened("step_shown", current.overlayText || current.title);
  state("playing");
  overlay.focus();
  say("");
  load(current.video);
}

function load(film) {
  video.pause();
  player.dataset.picture = film?.url || film?.poster ? "shown" : "none";
  if (film?.poster) video.poster = film.poster;
  else video.removeAttribute("poster");
  if (!film?.url) {
    video.removeAttribute("src");
    video.load();
    noFilm(film ? "This film is not there yet." : "");
    return;
  }
  video.src = film.url;
  play();
}

function play() {
  const { name } = current;
  video.play().catch((error) => {
    // A newer film took its place, or the browser wants a touch first; what can't be played says so by an event.
    if (error.name === "NotAllowedError" && current.name === name) ask();
  });
}

function noFilm(why) {
  notice(why);
  ask();
}

video.addEventListener("error", () => {
  if (!video.getAttribute("src")) return;
  happened("video_failed");
  player.dataset.picture = video.poster ? "shown" : "none";
  noFilm("This film can't be played. You can go on all the same.");
});
video.addEventListener("playing", () => {
  part("pause").textContent = "Pause";
  if (video.currentTime < 0.5) happened("video_started");
});
video.addEventListener("pause", () => {
  part("pause").textContent = "Go on";
});
video.addEventListener("timeupdate", () => {
  const at = current?.answerTime;
  if (typeof at === "number" && video.currentTime >= at && !video.seeking) ask();
});
video.addEventListener("ended", () => {
  show("pause", false);
  ask();
});
// A film that does not come: the way on is there meanwhile, by "Skip the film"; but nobody should have to look for it.
let stalled = 0;
for (const event of ["waiting", "stalled", "loadstart"]) {
  video.addEventListener(event, () => {
    clearTimeout(stalled);
    const { name } = current || {};
    stalled = setTimeout(() => {
      if (current?.name === name && !asked && video.readyState < 3) noFilm("The film is slow to come. You can go on all the same.");
    }, 8000);
  });
}
for (const event of ["playing", "emptied", "timeupdate"]) video.addEventListener(event, () => clearTimeout(stalled));

function ask() {
  if (asked || !current || !["playing", "asking"].includes(player.dataset.state)) return;
  asked = true;
  if (current.answers.length === 0) {
    // The end comes when the film is over, or at once where there is none or it was skipped.
    finish();
    return;
  }
  const hadFocus = document.activeElement === part("skip");
  const buttons = current.answers.map((answer) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "choice";
    button.textContent = answer.text;
    button.addEventListener("click", () => choose(answer));
    return button;
  });
  part("answers").replaceChildren(...buttons);
  state("asking");
  if (hadFocus) buttons[0].focus();
  const texts = current.answers.map(({ text }) => text).join(", ");
  say(buttons.length === 1 ? `One answer: ${texts}` : `${buttons.length} answers: ${texts}`);
}

function choose(answer) {
  happened("answer_selected", answer.text);
  if (answer.next) openStep(answer.next);
  else if (answer.dangling) stuck();
  else finish();
  report();
}

// An answer that leads to a step that is not there: the viewer can go back or start again.
function stuck() {
  happened("dead_end");
  video.pause();
  way.push(current.name);
  overlay.textContent = "This way is not built yet";
  show("form", false);
  state("stuck");
  notice("Go back and choose another answer, or start again.");
  overlay.focus();
}

function finish() {
  happened("completed");
  video.pause();
  overlay.textContent = "Thank you for watching";
  notice("");
  show("form", project.form);
  state("end");
  overlay.focus();
  endVisit();
}

function goBack() {
  const name = way.pop();
  if (!name) return;
  happened("back");
  openStep(name, { back: true });
}

function begin() {
  way = [];
  current = null;
  openStep(project.first);
}

part("start").addEventListener("click", () => {
  beginVisit();
  begin();
});
part("again").addEventListener("click", () => {
  if (visit.over) beginVisit();
  else happened("restarted");
  part("form").reset();
  part("form-fault").textContent = "";
  begin();
});
part("back").addEventListener("click", goBack);
part("skip").addEventListener("click", () => {
  happened("skipped");
  video.pause();
  ask();
});
part("pause").addEventListener("click", () => (video.paused ? play() : video.pause()));
part("sound").addEventListener("click", () => {
  video.muted = !video.muted;
  part("sound").setAttribute("aria-pressed", String(video.muted));
});

/* ---- the form ---- */

part("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  const fault = part("form-fault");
  const given = Object.fromEntries(new FormData(form));
  fault.textContent = "";
  if (!Object.values(given).some((text) => text.trim())) {
    fault.textContent = "Give a name, an e-mail address or a phone number.";
    part("name").focus();
    return;
  }
  if (!part("email").checkValidity()) {
    fault.textContent = "This is no e-mail address.";
    part("email").focus();
    return;
  }
  try {
    await visit.beginning;
    await post(visit.session.formUrl, given);
    show("form", false);
    overlay.textContent = "Thank you, it is sent";
    overlay.focus();
  } catch {
    fault.textContent = "It could not be sent. Try again in a moment.";
  }
});

part("form").addEventListener("input", () => {
  part("form-fault").textContent = "";
});

/* ---- the begin ---- */

async function open() {
  try {
    const answer = await fetch(`${here}/project`);
    if (!answer.ok) throw new Error(String(answer.status));
    project = await answer.json();
  } catch {
    overlay.textContent = "The video could not be loaded";
    notice("Load the page again in a moment.");
    return;
  }
  steps = new Map(project.steps.map((step) => [step.name, step]));
  const first = steps.get(project.first);
  if (!first) {
    notice("There is nothing to play yet.");
    return;
  }
  player.dataset.picture = first.video?.poster ? "shown" : "none";
  if (first.video?.poster) video.poster = first.video.poster;
  state("ready");
}

open();
