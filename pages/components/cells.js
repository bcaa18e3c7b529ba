// A table of buttons: a click sends the number of its line and column.

export default function ({ data, parentElement, setTriggerValue }) {
  if (!data) return;
  const box = parentElement.querySelector(".box");
  if (box.dataset.html !== data.html) {
    box.innerHTML = data.html;
    box.dataset.html = data.html;
  }
  const paper = getComputedStyle(box).getPropertyValue("--st-background-color").trim();
  const dark = /^#[0-9a-f]{6}$/i.test(paper)
    && [1, 3, 5].reduce((sum, k) => sum + parseInt(paper.slice(k, k + 2), 16), 0) < 380;
  box.classList.toggle("dark", dark);
  box.onclick = (event) => {
    const button = event.target.closest("button[data-cell]");
    if (button) setTriggerValue("cell", button.dataset.cell);
  };
}
