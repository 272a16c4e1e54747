// The drawing comes as data, because all sessions of a server share a component's own HTML.
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const focused = parentElement.activeElement?.dataset.part;
  const place = parentElement.querySelector(".drawing");
  place.innerHTML = data;
  for (const part of place.querySelectorAll("[data-part]")) {
    const select = () => setTriggerValue("part", part.dataset.part);
    part.onclick = select;
    part.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        select();
      }
    };
    if (focused && part.dataset.part === focused && part.tabIndex === 0) part.focus();
  }
}
