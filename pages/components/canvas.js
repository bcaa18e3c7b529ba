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

// The page's colours and font as the component sees them.
function theme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const paper = read("--st-background-color", "#ffffff");
  const light = hex(paper.length === 7 ? paper : "#ffffff").reduce((a, b) => a + b) > 380;
  return {
    paper, light, ink: read("--st-text-color", "#31333f"), font: read("--st-font", "sans-serif"),
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

// A text cut to a width, with a sign that it was.
function fit(g, text, width) {
  let s = text;
  while (s.length > 1 && g.measureText(s).width > width) s = s.slice(0, -1);
  return s === text ? s : s.slice(0, -1) + "…";
}

// Acts on a click; where a double click zooms out, only once it is clear that it is none.
class Clicks {
  single(event, zoomed, act) {
    clearTimeout(this.timer);
    if (event.detail > 1) return;
    if (zoomed) this.timer = setTimeout(act, 250);
    else act();
  }
}
