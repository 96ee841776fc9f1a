import { useState } from "preact/hooks";
import { type Store, store } from "./client/store.ts";
import { Dialog } from "./dialog.ts";
import { type Children, html } from "./html.ts";
import { words } from "./words.ts";

/** Kept on the device: whoever speaks to a computer would press keys without wanting to. */
const areOn: Store<boolean> = store<boolean>(localStorage.getItem("keys") !== "off");

/** Whether the keys are shown. */
export const keysShown: Store<boolean> = store<boolean>(false);

export const closeMenus = (but?: EventTarget): void => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (menu !== but) menu.open = false;
};

/** A button with a menu below it, which is made when it opens. */
export function Menu({ label, kind = "", children }: MenuParts): Children {
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: { readonly currentTarget: HTMLDetailsElement }): void => setOpen(event.currentTarget.open);
  return html`<details class=${`menu ${kind}`} onToggle=${toggle}><summary>${label}</summary>${isOpen ? children : ""}</details>`;
}

interface MenuParts {
  readonly label: string;
  readonly kind?: string;
  readonly children?: Children;
}

/** Has single keys do what they are named for in `aria-keyshortcuts`, but not while somebody types, and not once they are turned off. */
function press(event: KeyboardEvent): void {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key === "Escape") {
    const menu = (target as Element).closest<HTMLElement>("details.menu[open]");
    closeMenus();
    menu?.querySelector<HTMLElement>("summary")?.focus();
    return;
  }
  if (ctrlKey || metaKey || altKey || !areOn.value || document.querySelector("dialog[open]") !== null) return;
  if (target instanceof Element && target.matches("input:not([type=checkbox], [type=radio]), textarea, select")) return;
  const element = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(key)}"]`);
  if (element === null) return;
  event.preventDefault();
  if (element instanceof HTMLInputElement) element.focus();
  else element.click();
}

addEventListener("keydown", press);
// A menu that draws something else when it is clicked has no longer what was clicked.
addEventListener("click", (event) =>
  closeMenus(event.composedPath().find((each) => each instanceof Element && each.matches("details.menu"))),
);

/** Shows the keys, and turns them off or on. */
export function KeysDialog(): Children {
  const isOn = areOn.use();
  if (!keysShown.use()) return "";
  const keys = { "/": words.list.searchPeople, n: words.list.create, e: words.person.edit, "?": words.keys.show };
  const change = (): void => {
    localStorage.setItem("keys", isOn ? "off" : "on");
    areOn.set(!isOn);
  };
  const close = (): void => keysShown.set(false);
  return html`<${Dialog} heading=${words.frame.keys} onClose=${close}><dl>${Object.entries(keys).map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<label><input type="checkbox" checked=${isOn} onChange=${change} /> ${words.keys.on}</label><div class="actions"><button onClick=${close}>${words.close}</button></div></${Dialog}>`;
}
