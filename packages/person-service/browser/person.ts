import { leaveNote, type Problem, part, reloadWhenShownAgain, send, sendBy, showNote, showScripted } from "./api.ts";
import { type Editor, personEditor, toPatch, toValues, type Values } from "./form.ts";

const main = part(HTMLElement, "main");
const form = main.querySelector<HTMLFormElement>(".editor");
const dialog = main.querySelector<HTMLDialogElement>("#remove");

showScripted();
reloadWhenShownAgain();
leadBack();
showNote(part(HTMLElement, "[data-said]", main));
if (form !== null) prepareEditing(form, part(HTMLFormElement, ".conflict", main));
if (dialog !== null) prepareRemoval(dialog);

/** Leads back to the list that the visitor comes from, and to the people beside this one there. */
function leadBack(): void {
  const { url, people }: { readonly url: string; readonly people: readonly string[] } = JSON.parse(
    sessionStorage.getItem("list") ?? '{"people":[]}',
  );
  const here = people.indexOf(location.origin + location.pathname);
  if (here === -1) return;
  const [back, ...steps] = main.querySelectorAll<HTMLAnchorElement>(".trail a");
  if (back === undefined) return;
  back.href = url;
  if (url.includes("?")) back.textContent = "Back to the list";
  for (const [i, step] of steps.entries()) {
    const href = people[here + 2 * i - 1];
    step.hidden = href === undefined;
    if (href !== undefined) step.href = href;
  }
}

function prepareEditing(form: HTMLFormElement, conflict: HTMLFormElement): void {
  const actions = part(HTMLElement, ".heading .actions", main);
  const show = (isEditing: boolean): void => {
    part(HTMLElement, ".card", main).hidden = isEditing;
    actions.hidden = isEditing;
    form.hidden = !isEditing;
  };
  const editButton = part(HTMLElement, "[data-edit]", main);
  const editor: Editor = personEditor(form, {
    submit: (values, before, etag) => save({ form, conflict, editor }, before, values, etag),
    leave() {
      conflict.hidden = true;
      show(false);
      editButton.focus();
    },
  });
  const edit = (): void => {
    show(true);
    editor.open();
  };
  editButton.addEventListener("click", edit);
  part(HTMLElement, "[data-back]", conflict).addEventListener("click", () => {
    conflict.hidden = true;
    form.hidden = false;
    part(HTMLElement, ".primary", form).focus();
  });
  if (editor.hasDraft()) edit();
}

/** What a person is edited by. */
interface Editing {
  readonly form: HTMLFormElement;
  readonly conflict: HTMLFormElement;
  readonly editor: Editor;
}

/** Changes what differs, if the person is still as the tag says; resolves with the problem of the refusal. */
async function save(editing: Editing, before: Values, after: Values, etag: string): Promise<Problem | undefined> {
  const { form, editor } = editing;
  const { url = "" } = form.dataset;
  const patch = toPatch(before, after);
  if (Object.keys(patch).length === 0) {
    // The page shows the person as it was before somebody else changed it.
    if (etag === form.dataset["etag"]) editor.finish();
    else showStored(editor);
    return undefined;
  }
  const { response, problem } = await send("PATCH", url, {
    headers: { "Content-Type": "application/merge-patch+json", "If-Match": etag },
    body: JSON.stringify(patch),
  });
  if (response.status === 412) return compare(editing, before, after);
  if (problem === undefined) {
    leaveNote("Saved.");
    showStored(editor);
  }
  return problem;
}

function showStored(editor: Editor): void {
  editor.forget();
  location.reload();
}

/** Somebody else changed the person meanwhile: shows both versions side by side, to be chosen from. */
async function compare(editing: Editing, before: Values, mine: Values): Promise<Problem | undefined> {
  const { form, conflict, editor } = editing;
  const { response, problem } = await send("GET", form.dataset["url"] ?? "");
  if (problem !== undefined) return problem;
  const names = Object.keys(mine);
  const theirs = toValues(await response.json(), names);
  const etag = response.headers.get("ETag") ?? "";
  const differing = names.filter((name) => mine[name] !== theirs[name]);
  const isContested = differing.some((name) => mine[name] !== before[name] && theirs[name] !== before[name]);
  const mineOf = (name: string): [string, string] => [name, mine[name] ?? ""];
  const changed = differing.filter((name) => mine[name] !== before[name]);
  const merged = { ...theirs, ...Object.fromEntries(changed.map(mineOf)) };
  // Where the two changed different members, both changes stand.
  if (!isContested) return save(editing, theirs, merged, etag);
  const template = part(HTMLTemplateElement, "template", conflict).content;
  const rows = differing.map((name) => {
    const row = document.importNode(template, true);
    part(HTMLElement, "th", row).textContent = editor.labelOf(name);
    for (const input of row.querySelectorAll("input")) {
      const value = (input.value === "mine" ? mine : theirs)[name] ?? "";
      input.name = name;
      input.checked = merged[name] === value;
      part(HTMLElement, "bdi", input.parentElement ?? row).textContent = value === "" ? "(empty)" : value;
    }
    return row;
  });
  part(HTMLElement, "tbody", conflict).replaceChildren(...rows);
  conflict.onsubmit = (event) => {
    event.preventDefault();
    sendBy(part(HTMLButtonElement, ".primary", conflict), part(HTMLElement, ".banner", conflict), () => {
      const kept = Array.from(new FormData(conflict)).filter(([, side]) => side === "mine");
      const chosen = { ...theirs, ...Object.fromEntries(kept.map(([name]) => mineOf(name))) };
      return save(editing, theirs, chosen, etag);
    });
  };
  form.hidden = true;
  conflict.hidden = false;
  part(HTMLElement, "h2", conflict).focus();
  return undefined;
}

function prepareRemoval(dialog: HTMLDialogElement): void {
  const banner = part(HTMLElement, ".banner", dialog);
  const button = part(HTMLButtonElement, "[data-confirm]", dialog);
  part(HTMLElement, "[data-remove]", main).addEventListener("click", () => dialog.showModal());
  part(HTMLElement, "[data-cancel]", dialog).addEventListener("click", () => dialog.close());
  button.addEventListener("click", () =>
    sendBy(button, banner, async () => {
      const { url = "", etag = "" } = dialog.dataset;
      const { response, problem } = await send("DELETE", url, { headers: { "If-Match": etag } });
      if (response.status === 412)
        return { detail: "Somebody changed this person meanwhile. Read the page again first." };
      if (!response.ok && response.status !== 404) return problem;
      leaveNote(`${part(HTMLElement, "h1", main).textContent} is deleted.`);
      location.replace(part(HTMLAnchorElement, ".trail a", main).href);
      return undefined;
    }),
  );
}
