// Where the player's script does not come (a net that broke off, a filter), the page is the story, as without scripts.
(() => {
  const html = document.documentElement.dataset;
  const instead = () => "runs" in html || (html.plain = "");
  addEventListener("error", ({ target }) => target.type === "module" && instead(), true);
  setTimeout(instead, 15000);
})();
