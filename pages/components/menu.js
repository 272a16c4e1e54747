// Streamlit closes its menu at the start only on phones. style.css shows no menu on a small screen before this has run.
if (!document.documentElement.dataset.menu) {
  const isSmall = innerWidth < 1000;
  const closeMenu = () => {
    const sidebar = document.querySelector("[data-testid='stSidebar']");
    if (!sidebar) return false;
    const button = sidebar.querySelector("[data-testid='stSidebarCollapseButton'] button");
    if (isSmall && sidebar.dataset.collapsed === "false") button?.click();
    document.documentElement.dataset.menu = "ready";
    return true;
  };
  if (!closeMenu()) {
    new MutationObserver((changes, observer) => closeMenu() && observer.disconnect()).observe(document.body, {
      childList: true,
      subtree: true,
    });
  }
}
