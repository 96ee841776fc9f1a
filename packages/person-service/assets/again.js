// Loads a page again that says after how many seconds it may be there.
const note = document.querySelector("[data-again]");
note.hidden = false;
setTimeout(() => location.reload(), note.dataset.again * 1000);
