import { followChanges } from "./changes.ts";
import { prepareForms } from "./form.ts";
import { prepareKeys } from "./keys.ts";
import { reloadWhenShownAgain, showNote, showScripted, words } from "./page.ts";

prepareKeys();
showScripted();
showNote();
reloadWhenShownAgain();
leadBack();
prepareForms();
followChanges();

/** Leads back to the list that the visitor comes from, also after a removal, and to the people beside this one there. */
function leadBack(): void {
  const { url, people }: { readonly url: string; readonly people: readonly string[] } = JSON.parse(
    sessionStorage.getItem("list") ?? '{"url":"","people":[]}',
  );
  const [back, ...steps] = document.querySelectorAll<HTMLAnchorElement>(".trail a");
  const here = people.indexOf(location.origin + location.pathname);
  if (back === undefined || (here === -1 && steps.length > 0) || url === "") return;
  back.href = url;
  if (url.includes("?")) back.textContent = words.backToList;
  const cancel = document.querySelector<HTMLAnchorElement>(".editor.open [data-cancel]");
  if (cancel !== null && steps.length === 0) cancel.href = url;
  const list = document.querySelector<HTMLInputElement>("[name=_list]");
  if (list !== null) list.value = new URL(url).search;
  for (const [i, step] of steps.entries()) {
    const href = people[here + 2 * i - 1];
    step.hidden = href === undefined;
    if (href !== undefined) step.href = href;
  }
}
