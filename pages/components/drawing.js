// The drawing comes as data: a component's own HTML is one for all sessions of a server.
export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const focused = parentElement.activeElement?.dataset.part;
  const place = parentElement.querySelector(".drawing");
  place.innerHTML = data;
  for (const part of place.querySelectorAll("[data-part]")) {
    const press = () => setTriggerValue("part", part.dataset.part);
    part.onclick = press;
    part.onkeydown = (event) => {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        press();
      }
    };
    if (focused && part.dataset.part === focused && part.tabIndex === 0) part.focus();
  }
}
