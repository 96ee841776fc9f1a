import { part, words } from "./page.ts";

/** Has single keys do what they are named for in `aria-keyshortcuts`, but not while somebody types, and not once they are turned off. */
export function prepareKeys(): void {
  const button = document.querySelector<HTMLElement>("[data-keys]");
  button?.addEventListener("click", () => showKeys(button.textContent));
  addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || areOff() || document.querySelector("dialog[open], :popover-open") !== null)
      return;
    if (target instanceof Element && target.matches("input, textarea, select, [contenteditable]")) return;
    const element = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
    if (element === null || element.closest("[hidden]") !== null) return;
    event.preventDefault();
    if (element instanceof HTMLInputElement) element.focus();
    else element.click();
  });
}

/** Kept on the device: whoever speaks to a computer would press keys without wanting to. */
const kept = "keys";
const areOff = (): boolean => localStorage.getItem(kept) === "off";

function showKeys(heading: string): void {
  const dialog = document.createElement("dialog");
  dialog.innerHTML = `<h2 tabindex="-1" autofocus></h2><dl></dl><label><input type="checkbox"> <span></span></label><div class="actions"><button class="plain"></button></div>`;
  dialog.setAttribute("aria-label", heading);
  part(HTMLElement, "h2", dialog).textContent = heading;
  part(HTMLElement, "span", dialog).textContent = words.keysOn;
  for (const [key, text] of Object.entries(words.keysFor)) {
    const [term, description] = [document.createElement("dt"), document.createElement("dd")];
    term.append(Object.assign(document.createElement("kbd"), { textContent: key }));
    description.textContent = text;
    part(HTMLElement, "dl", dialog).append(term, description);
  }
  const box = part(HTMLInputElement, "input", dialog);
  box.checked = !areOff();
  box.addEventListener("change", () => localStorage.setItem(kept, box.checked ? "on" : "off"));
  const close = part(HTMLButtonElement, "button", dialog);
  close.textContent = words.close;
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
