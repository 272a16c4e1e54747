// Without https, as on a teacher's laptop, pages and `st.code` have no clipboard; the older execCommand still works.
export default function (component) {
  const { data, parentElement } = component;
  const button = parentElement.querySelector("button");
  button.onclick = async () => {
    const copied = await navigator.clipboard?.writeText(data.address).then(() => true, () => false);
    if (!copied) {
      const box = document.createElement("textarea");
      box.value = data.address;
      button.after(box);
      box.select();
      document.execCommand("copy");
      box.remove();
    }
    button.textContent = "Copied";
  };
}
