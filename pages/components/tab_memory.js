// A browser keeps sessionStorage for one tab and through its reloads, like a workspace. Some browsers forbid it in a
// frame of another site; a reload there starts from scratch.
export default function (component) {
  const { data, setStateValue } = component;
  const key = "transformer-classroom-tab";
  try {
    const remembered = JSON.parse(sessionStorage.getItem(key));
    if (data.settled || remembered === null || remembered.workspace === data.workspace) {
      sessionStorage.setItem(key, JSON.stringify(data));
    } else {
      setStateValue("remembered", remembered);
    }
  } catch (error) {
    console.info("This browser keeps nothing for this tab.", error);
  }
}
