// As tab_memory.js has it. Where a browser forbids it, the code is typed again after a reload.
export default function (component) {
  const { data, setStateValue } = component;
  const key = "transformer-classroom-class";
  try {
    if (data.ticket) sessionStorage.setItem(key, data.ticket);
    else if (!data.asked && sessionStorage.getItem(key)) setStateValue("kept", sessionStorage.getItem(key));
  } catch (error) {
    console.info("This browser keeps nothing for this tab.", error);
  }
}
