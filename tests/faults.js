// What cannot be read on the page: what lies beyond its edge, text that is cut off, and boxes that
// lie over each other. What scrolls by itself is not cut off, but for a formula. Streamlit's parts
// stand as @main and the like, see browser.py.
() => {
  const found = new Set(), main = document.querySelector("@main"), wide = document.documentElement.clientWidth;
  const up = (e) => e.parentElement || e.getRootNode().host;
  const ways = function* (e) { for (let p = e; p && p !== main; p = up(p)) yield p; };
  const words = (e) => (e.getAttribute?.("aria-label") || e.textContent || "").trim().replace(/\s+/g, " ").slice(0, 50);
  const name = (e) => `${e.tagName.toLowerCase()}${[...ways(e)].map((p) => /st-key-[\w-]+/.exec(p.className)?.[0]).find(Boolean) || ""} “${words(e)}”`;
  const style = new Map(), of = (e) => style.get(e) || style.set(e, getComputedStyle(e)).get(e);
  const shown = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const apart = "svg, .js-plotly-plot, @frame, @toolbar, .katex-mathml, [role=tooltip], details:not([open])";
  const side = document.querySelector("@sidebar"), closed = side && side.getBoundingClientRect().right < 5;
  const boxes = [];
  const leaf = (e, rects, text) => {
    if (!shown(e) || [...ways(e)].some((p) => p.matches?.(apart) || (closed && p === side))) return;
    const line = [...ways(e)], loose = line.some((p) => /absolute|fixed/.test(of(p).position));
    const scroll = line.find((p) => p !== e && /auto|scroll/.test(of(p).overflowX));
    for (const r of rects) {
      if (r.width < 2 || r.height < 2) continue;
      if (!scroll && (r.right > wide + 1 || r.left < -1)) found.add(`beyond the page: ${name(e)}`);
      for (const p of text ? line : []) {
        if (!/hidden|clip/.test(of(p).overflowX) || p === scroll) { if (p === scroll) break; continue; }
        const c = p.getBoundingClientRect();
        if (c.width > 2 && c.height > 2 && (r.right > c.right + 2 || r.left < c.left - 2)) found.add(`cut off: ${name(e)}`);
      }
      if (!loose && !scroll) boxes.push([r, e]);
    }
  };
  const walk = (root) => {
    for (const e of root.querySelectorAll("*")) {
      if (e.shadowRoot) walk(e.shadowRoot);
      if (e.closest("button, input, textarea, canvas, img, .katex, svg") && !e.matches("button, input, textarea, canvas, img, .katex")) {
        if (!e.closest("button") || e.closest("svg, .katex")) continue;
      } else if (e.matches("button, input, textarea, canvas, img, .katex") && !e.parentElement?.closest("button")) {
        leaf(e, [...e.getClientRects()], false); // a formula in a text may go on in the next line
      }
      if (e.matches(".katex-display, .katex-display *")) continue;
      for (const node of e.childNodes) {
        if (node.nodeType !== 3 || !node.data.trim()) continue;
        const range = document.createRange();
        const seen = e.closest("button") && shown(e) && !(closed && side.contains(e));
        for (const word of seen ? node.data.matchAll(/\S+/g) : []) {
          range.setStart(node, word.index); range.setEnd(node, word.index + word[0].length);
          if (new Set([...range.getClientRects()].map((r) => r.top)).size > 1) found.add(`a word is broken: ${name(e)}`);
        }
        range.selectNodeContents(node);
        leaf(e, [...range.getClientRects()], true);
      }
    }
  };
  walk(document.querySelector("@app"));
  for (const e of document.querySelectorAll(".katex-display")) {
    for (const p of ways(e)) if (shown(e) && p.clientWidth && p.scrollWidth > p.clientWidth + 2) found.add(`formula cut off: ${name(e)}`);
  }
  const holds = (a, b) => { for (let p = b; p; p = up(p)) if (p === a) return true; return false; };
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const [r, a] = boxes[i], [s, b] = boxes[j];
    const x = Math.min(r.right, s.right) - Math.max(r.left, s.left), y = Math.min(r.bottom, s.bottom) - Math.max(r.top, s.top);
    if (x > 3 && y > 6 && !holds(a, b) && !holds(b, a)) found.add(`overlap: ${name(a)} and ${name(b)}`);
  }
  if (main.scrollWidth > main.clientWidth + 1) found.add(`the page is ${main.scrollWidth - main.clientWidth} px too wide`);
  return [...found];
}
