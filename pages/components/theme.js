// Figures are drawn for light or for dark, and Streamlit (1.67) runs no script when people choose the other one.
export default function (component) {
  const { parentElement, setTriggerValue } = component;
  const app = document.querySelector(".stApp");
  const scheme = () => getComputedStyle(app).colorScheme;
  let last = scheme();
  parentElement.observer?.disconnect(); // of the run before
  parentElement.observer = new MutationObserver(() => {
    if (scheme() === last) return;
    last = scheme();
    setTriggerValue("changed", last);
  });
  parentElement.observer.observe(app, { attributes: true });
}
