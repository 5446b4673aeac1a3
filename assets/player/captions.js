// What is said in a film: captions over it, in the language that the viewer reads, and a transcript below it. Cues are
// drawn as text of the page, so that neither answers nor a bright frame hide them.
import { setting } from "./visit.js";

const part = (id) => document.getElementById(id);
const video = part("video");
const texts = JSON.parse(document.body.dataset.texts);

// In a frame that a shop has closed in (`sandbox`) the page has no origin, and every file is a stranger's. Asking for it as
// one would stop films of sites that do not allow that, so captions have an element of their own there.
const holder = self.origin === "null" ? Object.assign(document.createElement("video"), { crossOrigin: "anonymous" }) : video;

let shown = []; // the captions of this film: what is known of each, and its track
let mine = null; // the one that is read

const names = (() => {
  try {
    return new Intl.DisplayNames([document.documentElement.lang], { type: "language" });
  } catch {
    return null;
  }
})();

function nameOf({ label, language }) {
  if (label) return label;
  if (language === "und") return texts.captions;
  try {
    return names?.of(language) ?? language;
  } catch {
    return language;
  }
}

// The viewer's choice, else the language of the page, else the first.
function preferred() {
  const base = (tag) => tag.split("-")[0];
  const wanted = [setting.captionLanguage, document.documentElement.lang].filter(Boolean);
  for (const like of [(a, b) => a === b, (a, b) => base(a) === base(b)]) {
    for (const tag of wanted) {
      const found = shown.find(({ language }) => like(language, tag));
      if (found) return found;
    }
  }
  return shown[0] ?? null;
}

const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
const plain = (cue) => cue.getCueAsHTML().textContent;

function draw() {
  const line = part("caption");
  const now = video.currentTime;
  // Browsers take a cue for active that ends where a film was moved to.
  const said = setting.captions && mine ? [...(mine.track.track.cues ?? [])] : [];
  const cues = said.filter(({ startTime, endTime }) => startTime <= now && now < endTime);
  line.textContent = cues.map(plain).join("\n");
  line.hidden = cues.length === 0;
  if (mine) line.lang = mine.language;
  for (const entry of part("transcript-lines").children) {
    const { start, end } = entry.firstChild.dataset;
    if (Number(start) <= now && now < Number(end)) entry.firstChild.setAttribute("aria-current", "true");
    else entry.firstChild.removeAttribute("aria-current");
  }
}

function write() {
  const lines = part("transcript-lines");
  if (lines.contains(document.activeElement)) part("transcript-title").focus();
  lines.replaceChildren();
  if (!mine) return draw();
  lines.lang = mine.language;
  for (const cue of mine.track.track.cues ?? []) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "line";
    button.dir = "auto";
    Object.assign(button.dataset, { start: cue.startTime, end: cue.endTime });
    const time = document.createElement("span");
    time.className = "time";
    time.textContent = clock(cue.startTime);
    button.append(time, " ", plain(cue));
    button.addEventListener("click", () => {
      video.currentTime = cue.startTime;
      video.play().catch(() => {});
    });
    const entry = document.createElement("li");
    entry.append(button);
    lines.append(entry);
  }
  draw();
}

function choose(captions) {
  if (mine) mine.track.track.removeEventListener("cuechange", draw);
  mine = captions;
  for (const { track } of shown) track.track.mode = track === mine?.track ? "hidden" : "disabled";
  mine?.track.track.addEventListener("cuechange", draw);
  if (mine) part("captions-language").value = mine.language;
  write();
  controls();
}

function controls() {
  const any = shown.length > 0;
  part("captions").hidden = !any;
  part("captions").setAttribute("aria-pressed", String(setting.captions));
  part("transcript-toggle").hidden = !any;
  part("captions-language").hidden = shown.length < 2;
  if (!any) openTranscript(false);
}

function openTranscript(open) {
  const transcript = part("transcript");
  // Focus inside of what is closed goes back to what opened it.
  if (!open && transcript.contains(document.activeElement)) part("transcript-toggle").focus();
  transcript.hidden = !open;
  part("transcript-toggle").setAttribute("aria-expanded", String(open));
}

// The captions of a film, in place of those of the one before.
export function of(film) {
  for (const { track } of shown) track.remove();
  mine = null;
  shown = (film?.captions ?? []).map((captions) => {
    const track = document.createElement("track");
    Object.assign(track, { kind: "captions", srclang: captions.language, label: nameOf(captions), src: captions.url });
    track.addEventListener("load", () => {
      if (mine?.track === track) write();
    });
    holder.append(track);
    return { ...captions, track };
  });
  part("captions-language").replaceChildren(...shown.map((captions) => new Option(nameOf(captions), captions.language)));
  choose(preferred());
}

export function toggle() {
  if (shown.length === 0) return;
  setting.captions = !setting.captions;
  part("said").textContent = texts[setting.captions ? "captions_on" : "captions_off"];
  controls();
  draw();
}

part("captions").addEventListener("click", toggle);
part("captions-language").addEventListener("change", (event) => {
  setting.captionLanguage = event.target.value;
  choose(preferred());
});
part("transcript-toggle").addEventListener("click", () => {
  const open = part("transcript").hidden;
  openTranscript(open);
  if (!open) return;
  part("transcript-title").focus({ preventScroll: true });
  part("transcript").scrollIntoView({ block: "nearest", behavior: "instant" });
});
part("transcript-close").addEventListener("click", () => {
  openTranscript(false);
  part("transcript-toggle").focus();
});
part("transcript").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  // What lies around it stays open.
  event.stopPropagation();
  part("transcript-close").click();
});
video.addEventListener("timeupdate", draw);
video.addEventListener("seeked", draw);
