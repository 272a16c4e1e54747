if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history);
  // What the server writes for the next page may come before the browser has left this one: its entry gets back the
  // address at which people pressed what leads on.
  let pressed = location.href;
  for (const event of ["click", "keydown"]) addEventListener(event, () => { pressed = location.href; }, true);
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    if (pathname === location.pathname) return history.replaceState(state, unused, address);
    if (new URL(pressed).pathname === location.pathname) history.replaceState(history.state, "", pressed);
    document.querySelector("[data-testid='stMain']")?.scrollTo(0, 0); // a page begins at its top
    return push(state, unused, address);
  };
}
