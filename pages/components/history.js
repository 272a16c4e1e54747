if (!window.oneEntryAPage) {
  window.oneEntryAPage = true;
  const push = history.pushState.bind(history);
  // The server may write the next page's values into the address before the browser has left this page. So this page's
  // history entry is restored to the address at the last click.
  let clicked = location.href;
  for (const event of ["click", "keydown"]) addEventListener(event, () => { clicked = location.href; }, true);
  history.pushState = (state, unused, address) => {
    const { pathname } = new URL(address ?? "", location.href);
    if (pathname === location.pathname) return history.replaceState(state, unused, address);
    if (new URL(clicked).pathname === location.pathname) history.replaceState(history.state, "", clicked);
    document.querySelector("[data-testid='stMain']")?.scrollTo(0, 0); // a page starts at its top
    return push(state, unused, address);
  };
}
