// Talks with the page of a shop around the player: tells it what happens, and does what it asks. Only a page that may
// embed the player is told or heard.
const allowed = (document.body.dataset.embed ?? "").split(" ").filter(Boolean);
const anyone = allowed.includes("*");
const html = document.documentElement;
export const framed = window.parent !== window;

// The origins that a message is for: that of the page around, where the browser says which one it is. Where anyone may
// listen it does not matter, and what the browser says may be the page before.
function around() {
  if (anyone) return ["*"];
  let origin = location.ancestorOrigins?.[0];
  try {
    origin ??= new URL(document.referrer).origin;
  } catch {
    // Nobody says.
  }
  return allowed.includes(origin) ? [origin] : allowed;
}

// Tells the page around by message, and scripts beside the player by event.
export function tell(what, detail = {}) {
  const message = { ...detail, type: `cutaway:${what}` };
  document.dispatchEvent(new CustomEvent(message.type, { detail: message }));
  if (framed) for (const origin of around()) window.parent.postMessage(message, origin);
}

const asked = new Map();

// What is done when the page around asks for it.
export function when(what, run) {
  asked.set(`cutaway:${what}`, run);
}

addEventListener("message", ({ source, origin, data }) => {
  if (!framed || source !== window.parent || !(anyone || allowed.includes(origin))) return;
  if (typeof data?.type === "string") asked.get(data.type)?.(data);
});

// A bubble is a preview first: its first film, muted, again and again. A touch opens it.
export const bubble = {
  get isPreview() {
    return html.dataset.bubble === "preview";
  },
  get isOpen() {
    return html.dataset.bubble === "open";
  },
  preview(video, film) {
    html.dataset.bubble = "preview";
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || navigator.connection?.saveData;
    video.loop = true;
    video.muted = true;
    if (!film?.url || still) return;
    video.src = film.url;
    video.play().catch(() => {
      // Then its poster stands there.
    });
  },
  open(video, muted) {
    html.dataset.bubble = "open";
    video.pause();
    video.loop = false;
    video.muted = muted;
    tell("open");
  },
};
