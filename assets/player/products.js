// The products of the step that is shown, as cards. They say what the catalog says now: while somebody looks, it is asked
// every second, and answers that nothing changed in a few bytes. The page fetches this only for projects with products.

const EVERY = 1000;
const video = document.getElementById("video");
const list = document.createElement("ul");
list.id = "products";
list.className = "products";
list.hidden = true;
list.setAttribute("role", "list");
const style = document.createElement("link");
style.rel = "stylesheet";
style.href = new URL("products.css", import.meta.url).href;
document.head.append(style);
document.getElementById("caption").after(list);

let page = null; // what the page does: its texts, its reports
let step = null; // the name of the step
let known = []; // its products
let last = ""; // as they came
let reported = new Set(); // those of them that were seen
let asking = false;

const part = (card, name) => card.querySelector(`.${name}`);

function made({ id }) {
  const card = document.createElement("li");
  card.dataset.product = id;
  const link = document.createElement("a");
  link.className = "card";
  link.target = "_blank";
  link.rel = "noopener";
  const picture = document.createElement("img");
  picture.alt = "";
  picture.addEventListener("error", () => (picture.hidden = true));
  picture.addEventListener("load", () => (picture.hidden = false));
  const words = document.createElement("span");
  for (const name of ["title", "price", "gone"]) {
    const line = document.createElement("span");
    line.className = name;
    line.dir = "auto";
    words.append(line);
  }
  link.append(picture, words);
  link.addEventListener("click", () => {
    const product = known.find((one) => one.id === id);
    if (!product?.url) return;
    video.pause();
    page.happened("product_clicked", id);
    page.tell("product", { step, id, title: product.title, url: product.url });
  });
  card.append(link);
  return card;
}

function money({ price, currency, isFrom }) {
  if (!price) return "";
  let words = price;
  try {
    words = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency }).format(price);
  } catch {
    // No currency, or one that nobody knows.
  }
  return isFrom ? page.text("price_from", { price: words }) : words;
}

// Only what is another than before: who reads a card by ear is not interrupted.
function write(line, words) {
  if (line.textContent !== words) line.textContent = words;
  line.hidden = !words;
}

function fill(card, product) {
  const link = part(card, "card");
  if (product.url) link.href = product.url;
  else link.removeAttribute("href");
  const picture = card.querySelector("img");
  if (product.picture && picture.getAttribute("src") !== product.picture) picture.src = product.picture;
  if (!product.picture) picture.hidden = true;
  write(part(card, "title"), product.title);
  write(part(card, "price"), money(product));
  write(part(card, "gone"), product.soldOut ? page.text("sold_out") : "");
}

function draw() {
  const cards = new Map([...list.children].map((card) => [card.dataset.product, card]));
  const wanted = known.map((product) => {
    const card = cards.get(product.id) ?? made(product);
    fill(card, product);
    return card;
  });
  for (const card of cards.values()) if (!wanted.includes(card)) card.remove();
  wanted.forEach((card, at) => {
    if (list.children[at] !== card) list.insertBefore(card, list.children[at] ?? null);
  });
  list.setAttribute("aria-label", page.text("products"));
  reveal();
}

// Each from its second on; all of them where there is no film that comes there.
function reveal() {
  const isWhole = video.ended || video.error || !video.getAttribute("src");
  let some = false;
  for (const [at, product] of known.entries()) {
    const shown = isWhole || video.currentTime >= product.fromSeconds;
    page.keepFocus(() => (list.children[at].hidden = !shown));
    some ||= shown;
    if (shown && !reported.has(product.id)) {
      reported.add(product.id);
      page.happened("product_shown", product.id);
    }
  }
  page.keepFocus(() => (list.hidden = !some));
}

async function ask() {
  if (!step || asking || document.visibilityState === "hidden") return;
  asking = true;
  const wanted = step;
  try {
    const response = await fetch(`${page.here}/steps/${encodeURIComponent(wanted)}/products`, { cache: "no-cache" });
    const text = response.ok ? await response.text() : "";
    if (text && wanted === step && text !== last) {
      last = text;
      known = JSON.parse(text).products;
      draw();
    }
  } catch {
    // It is asked again in a second.
  }
  asking = false;
  if (wanted !== step) ask();
}

// Shows the products of this step; none where none is named.
export function shows(name, around) {
  page = around;
  step = name;
  known = [];
  last = "";
  reported = new Set();
  page.keepFocus(() => (list.hidden = true));
  list.replaceChildren();
  ask();
}

for (const event of ["timeupdate", "ended", "error"]) video.addEventListener(event, () => step && reveal());
document.addEventListener("visibilitychange", ask);
setInterval(ask, EVERY);
