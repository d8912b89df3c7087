// Dropping files onto the form. Everything else is HTMX attributes, and works without script too.
(() => {
  "use strict";
  const box = document.getElementById("drop");
  const input = document.getElementById("files");
  if (!box || !input) return;
  for (const name of ["dragenter", "dragover"]) {
    box.addEventListener(name, (event) => { event.preventDefault(); box.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    box.addEventListener(name, () => box.classList.remove("over"));
  }
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer && event.dataTransfer.files.length) input.files = event.dataTransfer.files;
  });
  document.body.addEventListener("htmx:beforeRequest", () => { document.getElementById("messages").replaceChildren(); });
})();
