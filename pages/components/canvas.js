// What every drawn component shares: the colours of a similarity, and reading what pack() wrote.

const LIGHT = ["#ffffff", "#dce9f6", "#9ecae1", "#4292c6", "#08519c", "#03152f"];
const DARK = ["#0e1117", "#2c115f", "#721f81", "#b73779", "#f1605d", "#feb078", "#fcfdbf"];

function unpack(bytes) {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  const size = new DataView(buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, size)));
  const types = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f4: Float32Array };
  const arrays = {};
  for (const [name, type, offset, length] of head.arrays) {
    arrays[name] = new types[type](buffer, offset, length);
  }
  return { ...head, ...arrays };
}

function colourTable(stops) {
  const rgb = stops.map((s) => [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16)));
  const table = new Uint8ClampedArray(256 * 3);
  for (let v = 0; v < 256; v++) {
    const x = (v / 255) * (rgb.length - 1), k = Math.min(Math.floor(x), rgb.length - 2);
    for (let c = 0; c < 3; c++) table[3 * v + c] = rgb[k][c] + (x - k) * (rgb[k + 1][c] - rgb[k][c]);
  }
  return table;
}

const hex = (s) => [1, 3, 5].map((k) => parseInt(s.slice(k, k + 2), 16));
const rgba = ([r, g, b], a = 255) => new Uint32Array(Uint8Array.of(r, g, b, a).buffer)[0]; // a pixel as a picture has it

// The page's colours and font as the component sees them.
function theme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const paper = read("--st-background-color", "#ffffff");
  const light = hex(paper.length === 7 ? paper : "#ffffff").reduce((a, b) => a + b) > 380;
  const font = read("--st-font", "sans-serif");
  const em = parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1; // larger on a projector
  return {
    paper, light, ink: read("--st-text-color", "#31333f"), font, em,
    type: (size, weight = "") => `${weight} ${size * em}px ${font}`,
    accent: read("--st-primary-color", "#0063a6"), table: colourTable(light ? LIGHT : DARK),
  };
}

// A canvas of the given size in the page's pixels, sharp on any screen; its context.
function sized(canvas, width, height) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale); canvas.height = Math.round(height * scale);
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  const g = canvas.getContext("2d");
  g.setTransform(scale, 0, 0, scale, 0, 0);
  return g;
}

// A text cut to a width, with a sign that it was, which is wider than some letters.
function fit(g, text, width) {
  let s = text;
  const cut = () => (s === text ? s : s + "…");
  while (s && g.measureText(cut()).width > width) s = s.slice(0, -1);
  return cut();
}

// Names of neighbours, each in its room, that can still be told apart: in full, without what all of
// them begin with, or cut; where two would look alike, neither is written.
function heads(g, names, rooms) {
  const fits = (list) => list.every((name, k) => g.measureText(name).width <= rooms[k]);
  if (fits(names)) return names;
  const start = names.length > 1 ? sharedStart(names) : "", own = names.map((name) => name.slice(start.length));
  if (fits(own)) return own;
  const cut = own.map((name, k) => fit(g, name, rooms[k]));
  return cut.map((name, k) => (name === own[k] || cut.indexOf(name) === cut.lastIndexOf(name) ? name : ""));
}

// What all names begin with; a number is not cut in two, and no name is used up.
function sharedStart(names) {
  let start = names.reduce((a, b) => {
    let k = 0;
    while (k < a.length && a[k] === b[k]) k++;
    return a.slice(0, k);
  });
  if (names.includes(start)) start = start.slice(0, -1);
  return start.replace(/\d+$/, "");
}

// The blocks of a matrix along one side, with a name for each that fits: `place` gives a block's
// pixels, a name needs so many of them along the side, and `room` says how long it may be. Of many
// narrow blocks every second or third has a name.
function titles(g, blocks, place, need, room) {
  const seen = blocks.map((block) => ({ name: block.name, ...place(block) })).filter((b) => b.to - b.from > 0.5);
  const widths = seen.map((b) => b.to - b.from).sort((a, b) => a - b);
  const every = Math.max(1, Math.ceil(need / (widths[widths.length >> 1] || 1)));
  const kept = seen.filter((b, k) => k % every === 0 && every * (b.to - b.from) >= 0.9 * need);
  const texts = heads(g, kept.map((b) => b.name), kept.map((b) => room(every * (b.to - b.from))));
  return kept.map((b, k) => ({ text: texts[k], at: (b.from + b.to) / 2 }));
}

// Pixels that a number of so many blocks takes.
const numberWidth = (g, blocks) => g.measureText("0".repeat(String(blocks.length).length)).width + 6;

// Acts on a click; where a double click zooms out, only once it is clear that it is none.
class Clicks {
  single(event, zoomed, act) {
    clearTimeout(this.timer);
    if (event.detail > 1) return;
    if (zoomed) this.timer = setTimeout(act, 250);
    else act();
  }
}
