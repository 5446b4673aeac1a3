// Plays a project: a film, a question, the next step. Everything it says stands on the page as text, everything it can do
// is a button. What happens is reported as a visit; where that fails, the film plays on.
import * as films from "./ahead.js";
import { chapters, hasWindow } from "./chapters.js";
import * as captions from "./captions.js";
import { bubble, framed, tell, when } from "./host.js";
import * as visits from "./visit.js";

const part = (id) => document.getElementById(id);
const player = part("player");
const video = part("video");
const overlay = part("overlay");
const texts = JSON.parse(document.body.dataset.texts);
const own = document.body.dataset.content; // the language of the project's texts, where the page's is another

// How long nothing can be pressed after a change of what is there to press, ms: a double click is one answer.
const SETTLE = 400;
// A film that has not come by then is said to be slow, ms.
const SLOW = 8000;
// Waits between two attempts at a film that failed, ms.
const RETRIES = [3000, 6000, 12000, 24000, 48000];
// A film fills the stage where at least this share of it stays to be seen.
const MOST_CROPPED = 0.8;

let project = null;
let steps = new Map();
let trail = []; // where the viewer was, in order: names of steps, or the end or a dead end behind one
let at = -1; // where in it they are
let asked = false; // whether the answers of this step are shown
let sent = false; // whether the form was
let failed = null; // the film that could not be played, and how far it was
let pressed = false; // whether a press of Play has asked for its film already

const current = () => steps.get(trail[at]?.step);
const text = (name, values = {}) => (texts[name] ?? name).replace(/\{(\w+)\}/g, (_, key) => values[key] ?? "");

/* ---- what is shown ---- */

const show = (id, shown) => {
  part(id).hidden = !shown;
};

// What stands at the top: a text of the project, or one of the page's own.
function headline(words, isContent = false) {
  overlay.textContent = words;
  if (isContent && own) overlay.lang = own;
  else overlay.removeAttribute("lang");
}

function say(words) {
  part("said").textContent = words;
}

function notice(words) {
  part("notice").textContent = words;
  show("notice", Boolean(words));
  show("retry", Boolean(failed) || (!project && Boolean(words)));
}

// What was focused and is gone hands its focus to the heading, so that it never falls off the page.
function keepFocus(change) {
  const before = document.activeElement;
  change();
  if (before && before !== document.body && (before.closest("[hidden]") || !before.isConnected)) overlay.focus();
}

let settling = 0;
const isSettling = () => "settling" in player.dataset;
function settle() {
  player.dataset.settling = "";
  clearTimeout(settling);
  settling = setTimeout(() => delete player.dataset.settling, SETTLE);
}
player.addEventListener(
  "click",
  (event) => {
    if (isSettling() && event.target.closest("button, video, a, input, label, select")) {
      event.preventDefault();
      event.stopPropagation();
    }
  },
  true,
);

const filmUrl = () => current()?.video?.url || "";
const filmShown = () => !bubble.isPreview && Boolean(filmUrl()) && ["playing", "asking"].includes(player.dataset.state) && !video.error;

function controls() {
  keepFocus(() => {
    const film = filmShown();
    show("pause", film && !video.ended);
    part("pause").textContent = text(video.paused ? "resume" : "pause");
    show("pip", film && video.readyState > 0 && hasWindow());
    show("sound", film && hasSound());
    part("sound").textContent = text(video.muted ? "unmute" : "mute");
    const length = Number.isFinite(video.duration) ? video.duration : 0;
    show("bar", film && length > 0 && !video.ended);
    show("back", at > 0 && !["ready", "end"].includes(player.dataset.state));
  });
  progress();
}

function state(name) {
  if (player.dataset.state !== name) settle();
  if (name !== "asking") films.enough();
  keepFocus(() => {
    player.dataset.state = name;
    show("start-panel", name === "ready");
    show("answers", name === "asking");
    show("skip-panel", name === "playing");
    show("end", name === "end" || name === "stuck");
  });
  controls();
}

// Browsers tell in different ways whether a film has sound, some of them only after a while.
function hasSound() {
  if (typeof video.mozHasAudio === "boolean") return video.mozHasAudio;
  if (video.audioTracks) return video.audioTracks.length > 0;
  if (typeof video.webkitAudioDecodedByteCount === "number") return video.webkitAudioDecodedByteCount > 0;
  return true;
}

// A film fills the stage where little of it is lost by that; else it is shown whole.
function fit() {
  // Before the film is there its poster says how it will be.
  const backdrop = part("backdrop");
  const width = video.videoWidth || (backdrop.hidden ? 0 : backdrop.naturalWidth);
  const height = video.videoHeight || (backdrop.hidden ? 0 : backdrop.naturalHeight);
  if (!width || !height) return;
  const film = width / height;
  player.dataset.shape = film > 1.2 ? "wide" : "narrow";
  shaped(width, height);
  const box = part("picture").getBoundingClientRect();
  const stage = box.width / (box.height || 1);
  player.dataset.fit = Math.min(film / stage, stage / film) >= MOST_CROPPED ? "cover" : "contain";
}

// The page around may give the player the shape of its films.
let shape = "";
function shaped(width, height) {
  if (shape === `${width}/${height}`) return;
  shape = `${width}/${height}`;
  tell("resize", { width, height });
}

// What does not fit is scrolled, by keyboard too.
function reachable() {
  const words = part("words");
  if (words.scrollHeight > words.clientHeight + 1) words.tabIndex = 0;
  else words.removeAttribute("tabindex");
}
const observer = new ResizeObserver(() => {
  fit();
  reachable();
});
for (const id of ["picture", "words", "overlay"]) observer.observe(part(id));
part("backdrop").addEventListener("load", fit);

/* ---- the film ---- */

// A picture no wider than it is shown.
function inWidth({ poster, posterWidths = [] }, wanted) {
  const width = posterWidths.find((one) => one >= wanted);
  return width ? `${poster}?width=${width}` : poster;
}

function poster(film) {
  const backdrop = part("backdrop");
  const url = film?.poster;
  if (url) {
    video.poster = inWidth(film, part("picture").clientWidth * Math.min(devicePixelRatio, 2));
    // The same picture: it comes but once.
    backdrop.src = video.poster;
  } else {
    video.removeAttribute("poster");
    backdrop.removeAttribute("src");
  }
  backdrop.hidden = !url;
}

function load(film, from = 0) {
  if (!pressed) video.pause();
  failed = null;
  clearTimeout(retrying);
  player.dataset.picture = film?.url || film?.poster ? "shown" : "none";
  poster(film);
  captions.of(film);
  if (!film?.url) {
    video.removeAttribute("src");
    video.load();
    noFilm(film ? text("not_yet") : "");
    return;
  }
  if (!pressed || video.error) video.src = film.url;
  pressed = false;
  if (from > 0) video.currentTime = from;
  play();
}

function play() {
  const playing = trail[at];
  video.play().catch((error) => {
    // A newer film took its place, or the browser wants a touch first; what can't be played says so by an event.
    if (error.name === "NotAllowedError" && trail[at] === playing) {
      ask();
      controls();
    }
  });
}

function noFilm(why) {
  notice(why);
  ask();
}

let retrying = 0;
function again() {
  clearTimeout(retrying);
  if (!failed || failed.of !== trail[at] || bubble.isPreview) return;
  const { seconds } = failed;
  video.src = filmUrl();
  if (seconds > 0) video.currentTime = seconds;
  play();
}

video.addEventListener("error", () => {
  if (bubble.isPreview || at < 0 || !video.getAttribute("src")) return;
  const tries = failed?.of === trail[at] ? failed.tries + 1 : 0;
  failed = { of: trail[at], tries, seconds: failed?.of === trail[at] ? failed.seconds : video.currentTime };
  if (tries === 0) visits.happened("video_failed", told());
  player.dataset.picture = video.poster ? "shown" : "none";
  noFilm(text(navigator.onLine ? "failed" : "offline"));
  if (RETRIES[tries]) retrying = setTimeout(again, RETRIES[tries]);
  controls();
});
addEventListener("online", () => (project ? again() : open()));
part("retry").addEventListener("click", () => {
  if (!project) return void open();
  if (!failed) return;
  notice("");
  asked = false;
  failed = { ...failed, tries: 0 };
  state("playing");
  again();
});

video.addEventListener("loadedmetadata", () => {
  fit();
  controls();
});
video.addEventListener("playing", () => {
  if (bubble.isPreview) return;
  tell("play", { step: current()?.name });
  if (failed) {
    failed = null;
    player.dataset.picture = "shown";
    notice("");
  }
  if (video.currentTime < 0.5) visits.happened("video_started", told());
  reached();
  controls();
});
video.addEventListener("pause", () => {
  if (!bubble.isPreview && at >= 0) tell("pause", { step: current()?.name });
});
for (const event of ["pause", "durationchange", "volumechange"]) video.addEventListener(event, controls);
video.addEventListener("timeupdate", () => {
  reached();
  progress();
  if (part("sound").hidden && filmShown() && hasSound()) controls();
});
video.addEventListener("ended", () => {
  if (current()?.answers.length === 0) finish();
  else ask();
  controls();
});

// The answers come at their time; without answers a film plays to its end, whatever the time.
function reached() {
  const step = current();
  if (!step || step.answers.length === 0 || video.seeking || !filmShown()) return;
  if (video.currentTime >= (step.answerTime || 0)) ask();
}

function progress() {
  const seek = part("seek");
  const length = Number.isFinite(video.duration) ? video.duration : 0;
  seek.max = String(length || 1);
  if (document.activeElement !== seek || !seek.matches(":active")) seek.value = String(video.currentTime);
  const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
  seek.setAttribute("aria-valuetext", `${clock(video.currentTime)} / ${clock(length)}`);
}
part("seek").addEventListener("input", (event) => {
  video.currentTime = Number(event.target.value);
});

// A film that does not come: it can be skipped meanwhile; but nobody should have to look for that.
let stalled = 0;
for (const event of ["waiting", "stalled", "loadstart"]) {
  video.addEventListener(event, () => {
    clearTimeout(stalled);
    const waited = trail[at];
    stalled = setTimeout(() => {
      if (trail[at] === waited && !asked && video.readyState < 3 && filmShown() && current().answers.length > 0) noFilm(text("slow"));
    }, SLOW);
  });
}
for (const event of ["playing", "emptied", "timeupdate"]) video.addEventListener(event, () => clearTimeout(stalled));

/* ---- products ---- */

let cards = null; // what shows products, once a step has some

function products(step) {
  if (!cards && !step?.products) return;
  cards ??= import("./products.js").catch(() => null);
  const around = { here: visits.here, text, tell, keepFocus, happened: (name, id) => visits.happened(name, told(id)) };
  cards.then((loaded) => loaded?.shows(step?.products ? step.name : null, around));
}

/* ---- steps ---- */

const told = (words) => ({ step: current()?.name, video: current()?.video?.name, text: words });

// The place in the trail, as the browser's history and a reload know it. A page in a frame leaves the history of the
// page around it alone.
const run = () => trail[0]?.run;
function goTo(place, how = "push") {
  if (how === "push") {
    trail = [...trail.slice(0, at + 1), place];
    at++;
  }
  if (!framed && how !== "pop") {
    const entry = { cutaway: run(), at };
    if (how === "push" && at > 0) history.pushState(entry, "");
    else history.replaceState(entry, "");
  }
  visits.remember({ trail, at });
  listed();
}

// What the viewer came by, to go back to.
function listed() {
  const names = trail.map((place) => place.step).filter(Boolean);
  const title = (step) => step?.overlayText || step?.title || project.name;
  chapters(names.map((name) => title(steps.get(name))), at, jump);
}

function jump(to) {
  if (to === at || isSettling()) return;
  if (!framed && history.state?.cutaway === run()) return history.go(to - at);
  if (to < at) visits.happened("back", told());
  at = to;
  openPlace("pop");
}

function openStep(name, how = "push", from = 0) {
  if (how === "push") goTo(at < 0 ? { step: name, run: Math.random() } : { step: name });
  else goTo(trail[at], how);
  const step = current();
  asked = false;
  failed = null;
  notice("");
  part("answers").replaceChildren();
  part("skip").textContent = text("skip");
  headline(step.overlayText || step.title || project.name, true);
  for (const id of ["scene", "words"]) part(id).scrollTop = 0;
  visits.happened("step_shown", told(step.overlayText || step.title));
  tell("step", { step: step.name, title: step.title ?? null, text: step.overlayText ?? null });
  state("playing");
  settle();
  overlay.focus();
  say("");
  products(step);
  load(step.video, from);
}

function ask() {
  const step = current();
  if (asked || !step || !["playing", "asking"].includes(player.dataset.state)) return;
  asked = true;
  const hadFocus = document.activeElement === part("skip");
  const buttons = step.answers.map((answer) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "choice";
    button.dir = "auto";
    if (own) button.lang = own;
    button.textContent = answer.text;
    button.addEventListener("click", () => choose(answer));
    return button;
  });
  if (buttons.length === 0) {
    // A last step whose film is missing or waits for a touch: its text can be read, and a button leads to the end.
    part("skip").textContent = text("go_on");
    return;
  }
  part("answers").replaceChildren(...buttons);
  state("asking");
  if (hadFocus) buttons[0].focus();
  reachable();
  films.ahead(step.answers.map((answer) => steps.get(answer.next)?.video?.url).filter(Boolean));
  const given = step.answers.map((answer) => answer.text).join(", ");
  say(text(buttons.length === 1 ? "answers_one" : "answers_many", { count: buttons.length, texts: given }));
}

function choose(answer) {
  visits.happened("answer_selected", told(answer.text));
  tell("answer", { step: current()?.name, text: answer.text, next: answer.next ?? null });
  if (answer.next) openStep(answer.next);
  else if (answer.dangling) stuck();
  else finish();
  visits.report();
}

// An answer that leads to a step that is not there: the viewer can go back or start again.
function stuck(how = "push") {
  if (how === "push") {
    visits.happened("dead_end", told());
    goTo({ stuck: true });
  } else goTo(trail[at], how);
  clearTimeout(retrying);
  failed = null;
  video.pause();
  captions.of(null);
  products(null);
  headline(text("unavailable"));
  show("form", false);
  state("stuck");
  notice(text("unavailable_help"));
  overlay.focus();
}

function finish(how = "push") {
  if (player.dataset.state === "end") return;
  if (how === "push") {
    visits.happened("completed", told());
    goTo({ end: true });
  } else goTo(trail[at], how);
  clearTimeout(retrying);
  failed = null;
  video.pause();
  captions.of(null);
  products(null);
  headline(document.body.dataset.end, document.body.dataset.end !== text("thanks"));
  notice("");
  show("form", project.form && !sent);
  state("end");
  overlay.focus();
  visits.end();
}

// Shows what stands at this place of the trail.
function openPlace(how, from = 0) {
  if (trail[at].end) finish(how);
  else if (trail[at].stuck) stuck(how);
  else openStep(trail[at].step, how, from);
}

function goBack() {
  if (at <= 0) return;
  visits.happened("back", told());
  at--;
  openPlace("pop");
}

addEventListener("popstate", (event) => {
  if (rewound) return rewound();
  const entry = event.state;
  if (!entry || entry.cutaway !== run() || !trail[entry.at] || entry.at === at) return;
  if (entry.at < at) visits.happened("back", told());
  at = entry.at;
  openPlace("pop");
});

function begin() {
  trail = [];
  at = -1;
  sent = false;
  openStep(project.first);
}

// Begins in the first of this page's entries of the history, so that the ones behind it lead nowhere no more.
let rewound = null;
function beginAgain() {
  const entry = history.state;
  if (framed || !(entry?.at > 0)) return begin();
  const once = () => {
    clearTimeout(late);
    rewound = null;
    begin();
  };
  const late = setTimeout(once, 1000);
  rewound = once;
  history.go(-entry.at);
}

// A visit to go on with, where every step that the viewer came by is still there.
const kept = () => {
  const saved = visits.saved();
  const { trail: places = [], at: there } = saved?.place ?? {};
  const isThere = (place) => place.stuck || steps.has(place.step);
  return places[there] && places.every(isThere) ? saved : null;
};

// Asks for the film that Play begins with; whether it is one.
function askForFirst() {
  const url = steps.get(project.first)?.video?.url;
  if (!pressed && url) video.src = url;
  pressed = Boolean(url);
  return pressed;
}

let starting = false;
function start() {
  if (starting) return;
  const saved = kept();
  if (saved) {
    ({ trail, at } = saved.place);
    visits.resume(saved);
    openPlace("replace", saved.place.seconds || 0);
    return;
  }
  const rest = () => {
    starting = false;
    visits.begin();
    begin();
  };
  if (!askForFirst()) return rest();
  // The film is on its way before anything else is done: browsers ask for it once this task is over. A touch is good for
  // this task only, in some of them, so it plays from here on.
  starting = true;
  video.play().catch(() => {});
  setTimeout(rest);
}
part("start").addEventListener("click", start);
// The film is asked for while the finger is still down: a tap takes a tenth of a second.
part("start").addEventListener("pointerdown", () => {
  if (at < 0 && !kept() && !isSettling()) askForFirst();
});
part("restart").addEventListener("click", () => {
  const saved = kept();
  if (saved) visits.resume(saved);
  else visits.begin();
  visits.happened("restarted");
  beginAgain();
});
part("again").addEventListener("click", () => {
  if (visits.isOver()) visits.begin();
  else visits.happened("restarted", told());
  part("form").reset();
  wrong("");
  beginAgain();
});
part("back").addEventListener("click", () => {
  if (framed || history.state?.cutaway !== run()) goBack();
  else history.back();
});
part("skip").addEventListener("click", () => {
  visits.happened("skipped", told());
  video.pause();
  if (current().answers.length === 0) finish();
  else ask();
});
const toggle = () => (video.paused ? play() : video.pause());
part("pause").addEventListener("click", toggle);
// A touch on the film itself; what lies over it takes its own.
for (const id of ["scene", "words", "video", "backdrop"]) {
  part(id).addEventListener("click", (event) => {
    if (event.target === event.currentTarget && filmShown() && !video.ended && !isSettling()) toggle();
  });
}
part("sound").addEventListener("click", () => mute(!video.muted));
function mute(on) {
  video.muted = on;
  visits.setting.muted = on;
  say(text(on ? "muted" : "unmuted"));
}
video.muted = visits.setting.muted;

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
  // What has the focus is pressed by it.
  if (event.key === " " && event.target.closest("button, a")) return;
  if (!filmShown()) return;
  if (event.key === " ") toggle();
  else if (event.key === "m" || event.key === "M") mute(!video.muted);
  else if (event.key === "c" || event.key === "C") captions.toggle();
  else if (event.key === "ArrowLeft") video.currentTime = Math.max(0, video.currentTime - 5);
  else if (event.key === "ArrowRight") video.currentTime = Math.min(video.duration || video.currentTime, video.currentTime + 5);
  else return;
  event.preventDefault();
});

// How far the film is belongs to the place.
addEventListener("pagehide", () => {
  if (at >= 0 && !visits.isOver()) visits.remember({ trail, at, seconds: video.currentTime });
});

/* ---- the form ---- */

const FIELDS = [...part("form").querySelectorAll("label + input")].map((input) => input.id);

function wrong(words, fields = []) {
  part("form-fault").textContent = words;
  for (const id of part("consent") ? [...FIELDS, "consent"] : FIELDS) {
    if (fields.includes(id)) part(id).setAttribute("aria-invalid", "true");
    else part(id).removeAttribute("aria-invalid");
  }
  if (fields.length > 0) part(fields[0]).focus();
}

part("form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const given = Object.fromEntries(new FormData(event.target));
  wrong("");
  const empty = FIELDS.length < 3 ? "form_incomplete" : "form_empty";
  if (!FIELDS.some((id) => given[id]?.trim())) return wrong(text(empty), FIELDS);
  if (part("email")?.checkValidity() === false) return wrong(text("form_email"), ["email"]);
  if (part("consent")) {
    given.consent = part("consent").checked;
    given.consentVersion = part("consent").dataset.version;
    if (!given.consent) return wrong(text("form_consent"), ["consent"]);
  }
  try {
    await visits.post(await visits.formUrl(), given);
    tell("form", { fields: FIELDS.filter((id) => given[id]?.trim()) });
    sent = true;
    keepFocus(() => show("form", false));
    headline(text("form_sent"));
    overlay.focus();
  } catch (error) {
    // 409: other words than these, or no form any more. 400: words to agree to, where there were none.
    const now = ["409", "400"].includes(error.message) ? await asksNow() : null;
    if (now && !now.form) closed();
    else if (!now || !newConsent(now)) wrong(text("form_failed"));
    else if (part("consent")) wrong(text("form_consent_changed"), ["consent"]);
    else event.target.requestSubmit();
  }
});

// What the project asks for by now: nothing where it was deleted, null where nobody knows.
async function asksNow() {
  const answer = await fetch(`${visits.here}/project`).catch(() => null);
  if (answer?.status === 404) return {};
  return answer?.ok ? answer.json().catch(() => null) : null;
}

// The shop asks for nothing any more: that is said in place of the form.
function closed() {
  sent = true;
  keepFocus(() => show("form", false));
  headline(text("form_closed"));
  overlay.focus();
}

// What viewers agree to is what they read. Whether the merchant has other words by now, or none, or some: then those are
// shown, not agreed to yet.
function newConsent({ consent }) {
  const before = part("consent");
  if (consent?.version === before?.dataset.version) return false;
  before?.closest("label").remove();
  if (consent) askConsent(consent);
  return true;
}

function askConsent({ version, text: words }) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  const span = document.createElement("span");
  label.className = "consent";
  Object.assign(box, { id: "consent", name: "consent", type: "checkbox" });
  box.dataset.version = version;
  box.setAttribute("aria-describedby", "form-fault");
  span.dir = "auto";
  span.textContent = words;
  label.append(box, span);
  part("form-fault").before(label);
}

part("form").addEventListener("input", () => wrong(""));

/* ---- the page around ---- */

part("shop")?.addEventListener("click", () => {
  visits.happened("shop_opened");
  visits.report();
  tell("shop", { url: part("shop").href });
});

when("play", () => {
  if (bubble.isPreview) part("peek").click();
  else if (player.dataset.state === "ready") start();
  else if (filmShown() && video.paused && !video.ended) play();
});
when("pause", () => {
  if (filmShown()) video.pause();
});
when("mute", () => mute(true));
when("unmute", () => mute(false));
when("purchase", async ({ orderId, amount, currency, products }) => {
  const reported = await visits.purchase({ orderId, amount, currency, products }).catch(() => false);
  tell("conversion", { orderId, amount, currency, reported });
});

part("peek").addEventListener("click", () => {
  bubble.open(video, visits.setting.muted);
  show("peek", false);
  show("close", true);
  player.inert = false;
  start();
});
function close() {
  if (!bubble.isOpen) return;
  video.pause();
  visits.remember({ trail, at, seconds: video.currentTime });
  visits.rest();
  tell("close");
  preview();
  part("peek").focus();
}
part("close").addEventListener("click", close);
addEventListener("keydown", (event) => {
  if (event.key === "Escape") close();
});
when("close", close);

function preview() {
  const first = steps.get(project.first);
  clearTimeout(retrying);
  failed = null;
  notice("");
  products(null);
  show("close", false);
  ready();
  if (first.video?.url) player.dataset.picture = "shown";
  bubble.preview(video, first.video);
  show("peek", true);
  player.inert = true;
}

/* ---- the begin ---- */

async function open() {
  notice("");
  try {
    const response = await fetch(`${visits.here}/project`);
    if (!response.ok) throw new Error(String(response.status));
    project = await response.json();
    await visits.ready;
  } catch {
    headline(text("load_failed"));
    notice(text("load_failed_help"));
    return;
  }
  headline(project.name, true);
  steps = new Map(project.steps.map((step) => [step.name, step]));
  const first = steps.get(project.first);
  if (!first) {
    notice(text("nothing"));
    return;
  }
  tell("ready", { name: project.name, steps: project.steps.length });
  ready();
  if (bubble.isPreview) preview();
  else if (!kept()) films.begin(first.video?.url);
}

// The visit of an earlier page of this window may be found only now.
visits.onceOurs(() => {
  if (player.dataset.state === "ready" && at < 0 && !starting && !bubble.isPreview) ready();
});

// Waits for a touch, at the first step or where the viewer was.
function ready() {
  const first = steps.get(project.first);
  headline(project.name, true);
  const saved = kept();
  const shown = steps.get(saved?.place.trail[saved.place.at].step) ?? first;
  part("start").textContent = text(saved ? "continue" : "play");
  show("restart", Boolean(saved));
  player.dataset.picture = shown.video?.poster ? "shown" : "none";
  poster(shown.video);
  state("ready");
}

delete document.documentElement.dataset.plain;
document.documentElement.dataset.runs = "";
tell("loaded");
open();
