// A change of screen that changes settings too is one step of Back. Streamlit makes it two entries
// of the history, the settings on the screen that is left and then the screen: the second takes the
// place of the first, if nobody clicked or pressed a key between them.

export default function () {
  if (window.sdscOneStep) return;
  window.sdscOneStep = true;
  let last = false; // whether settings alone were the last entry, with no deed since
  for (const deed of ["pointerdown", "click", "keydown", "popstate"])
    window.addEventListener(deed, () => { last = false; }, true);
  const push = history.pushState.bind(history);
  history.pushState = (state, title, address) => {
    const next = new URL(address, location.href);
    const leaves = next.pathname !== location.pathname;
    if (leaves && last && next.search === location.search) history.replaceState(state, title, address);
    else push(state, title, address);
    last = !leaves;
  };
}
