// Like tab_memory.js. Where a browser forbids sessionStorage, the code must be typed again after a reload.
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
