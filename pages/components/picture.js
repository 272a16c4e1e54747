// The browser draws the SVG, so the server needs no drawing library: two pixels of the file for one of the drawing.
export default function (component) {
  const { data, parentElement } = component;
  parentElement.querySelector("button").onclick = () => {
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = image.naturalWidth * 2;
      canvas.height = image.naturalHeight * 2;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      const link = document.createElement("a");
      link.download = data.name;
      link.href = canvas.toDataURL("image/png");
      link.click();
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(data.svg);
  };
}
