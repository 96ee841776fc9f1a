// Loads a page again that says after how many seconds it may be there.
const note = document.querySelector<HTMLElement>("[data-again]");
if (note !== null) {
  note.hidden = false;
  setTimeout(() => location.reload(), Number(note.dataset["again"]) * 1000);
}
