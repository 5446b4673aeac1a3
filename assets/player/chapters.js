// The steps that the viewer came by, as chapters: a list below the film that leads back to each. And the film in a window
// of its own, where the browser has one.

const part = (id) => document.getElementById(id);
const video = part("video");

function open(shown) {
  const list = part("chapters");
  if (!shown && list.contains(document.activeElement)) part("chapters-toggle").focus();
  list.hidden = !shown;
  part("chapters-toggle").setAttribute("aria-expanded", String(shown));
}

// Shows these steps: the words of each; `at` is where the viewer is, `go` leads to the one of a number.
export function chapters(titles, at, go) {
  part("chapters-toggle").hidden = titles.length < 2;
  if (titles.length < 2) open(false);
  const focused = [...part("chapters-list").children].findIndex((entry) => entry.contains(document.activeElement));
  const entries = titles.map((title, number) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "line";
    button.dir = "auto";
    button.textContent = title;
    if (number === at) button.setAttribute("aria-current", "step");
    button.addEventListener("click", () => go(number));
    const entry = document.createElement("li");
    entry.append(button);
    return entry;
  });
  part("chapters-list").replaceChildren(...entries);
  if (focused >= 0) (entries[focused]?.firstChild ?? part("chapters-toggle")).focus();
}

part("chapters-toggle").addEventListener("click", () => {
  const shown = part("chapters").hidden;
  open(shown);
  if (!shown) return;
  part("chapters-title").focus({ preventScroll: true });
  part("chapters").scrollIntoView({ block: "nearest", behavior: "instant" });
});
part("chapters-close").addEventListener("click", () => {
  open(false);
  part("chapters-toggle").focus();
});
part("chapters").addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  // What lies around it stays open.
  event.stopPropagation();
  part("chapters-close").click();
});

const pip = part("pip");
export const hasWindow = () => Boolean(document.pictureInPictureEnabled) && !video.disablePictureInPicture;
pip.addEventListener("click", () => {
  const asked = document.pictureInPictureElement ? document.exitPictureInPicture() : video.requestPictureInPicture();
  // Refused by the page around, or the film has no picture yet: it plays on where it is.
  asked.catch(() => {});
});
for (const [event, on] of [["enterpictureinpicture", true], ["leavepictureinpicture", false]]) {
  video.addEventListener(event, () => pip.setAttribute("aria-pressed", String(on)));
}
