// Puts a Cutaway player into a page: <script async src="https://HOST/player/embed.js" data-project="ID"></script>
(() => {
  const tag = document.currentScript;
  const { project, aspect = "9/16", bubble, lang, title, width } = tag.dataset;
  const url = new URL(`../play/${encodeURIComponent(project)}`, tag.src);
  const floats = bubble !== undefined;
  if (floats) url.searchParams.set("bubble", "");
  if (lang) url.searchParams.set("lang", lang);

  const box = document.createElement("div");
  const frame = document.createElement("iframe");
  box.className = "cutaway-player";
  frame.src = url;
  frame.title = title || "Video";
  // The player hears and tells this page only, by its origin; the rest of the address is nobody else's.
  frame.referrerPolicy = "origin";
  frame.allow = "autoplay; fullscreen; picture-in-picture";
  if (!floats) frame.loading = "lazy";
  // The player's own color scheme, so that a transparent one is transparent.
  Object.assign(frame.style, { width: "100%", height: "100%", border: 0, display: "block", colorScheme: "light" });
  const shape = (of) => {
    box.style.aspectRatio = of;
    const [across, down] = of.split("/").map(Number);
    // A wide film in a narrow page leaves room for its answers.
    box.style.minHeight = across > down ? "20rem" : "";
    box.style.maxWidth = width || (across > down ? "100%" : `min(24rem, ${(88 * across) / (down || 1)}vh)`);
  };
  const small = { position: "fixed", inset: "auto", bottom: "16px", width: "104px", height: "152px", zIndex: 2147483000, borderRadius: "16px", overflow: "hidden", boxShadow: "0 4px 24px #0006" };
  const large = { width: "min(390px, 100vw - 32px)", height: "min(720px, 100dvh - 32px)" };
  const place = (open) => {
    Object.assign(box.style, small, open ? large : {});
    box.style[bubble === "left" ? "left" : "right"] = "16px";
    if (open && innerWidth <= 480) Object.assign(box.style, { inset: 0, width: "100%", height: "100%", borderRadius: 0 });
  };
  if (floats) place(false);
  else {
    Object.assign(box.style, { width: "100%", margin: "0 auto" });
    shape(aspect === "auto" ? "9/16" : aspect);
  }

  const send = (what, detail) => frame.contentWindow?.postMessage({ ...detail, type: `cutaway:${what}` }, url.origin);
  box.cutaway = {
    play: () => send("play"),
    pause: () => send("pause"),
    mute: () => send("mute"),
    unmute: () => send("unmute"),
    close: () => send("close"),
    purchase: (order) => send("purchase", order),
  };
  // Where the browser or the rules of this page keep the frame out, a link leads to the player.
  let heard = false;
  const instead = () => {
    if (heard) return;
    const link = document.createElement("a");
    Object.assign(link, { href: url, target: "_blank", rel: "noopener", textContent: title || "Video" });
    Object.assign(link.style, { display: "grid", placeContent: "center", minHeight: "44px", height: "100%" });
    frame.replaceWith(link);
  };
  frame.addEventListener("load", () => setTimeout(instead, 3000));
  // Only what this frame says, from where the player is.
  addEventListener("message", ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== url.origin) return;
    if (typeof data?.type !== "string" || !data.type.startsWith("cutaway:")) return;
    heard = true;
    const what = data.type.slice(8);
    if (floats && (what === "open" || what === "close")) place(what === "open");
    if (!floats && aspect === "auto" && what === "resize") shape(`${+data.width || 9}/${+data.height || 16}`);
    box.dispatchEvent(new CustomEvent(data.type, { bubbles: true, detail: data }));
  });

  box.append(frame);
  if (floats) (document.body || document.documentElement).append(box);
  else tag.after(box);
})();
