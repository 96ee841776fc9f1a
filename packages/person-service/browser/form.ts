import { announce, loadDialogs, type Problem, part, sendBy } from "./api.ts";

/** The values of a form by member; absent members are empty text. */
export type Values = Readonly<Record<string, string>>;

type Field = HTMLInputElement | HTMLTextAreaElement;

interface EditorParts {
  /** Sends the values, given with the state and the tag that they differ from; resolves with the problem of the refusal, or with nothing. */
  readonly submit: (values: Values, before: Values, entityTag: string) => Promise<Problem | undefined>;
  /** What happens once the form is done with. */
  readonly leave: () => void;
}

export interface Editor {
  finish(): void;
  /** Shows the form, with what was typed before if that was not stored. */
  open(): void;
  hasDraft(): boolean;
  forget(): void;
  labelOf(name: string): string;
}

/**
 * The form of a person: its values by member, its faults at their fields, and a draft that outlives a reload. A draft is what differs
 * from the state that was read, with the tag of that state, so that saving it undoes no change of anybody else.
 */
export function personEditor(form: HTMLFormElement, { submit, leave }: EditorParts): Editor {
  const fields = new Map(Array.from(form.querySelectorAll<Field>("[name]"), (field) => [field.name, field]));
  const banner = part(HTMLElement, ".foot .banner", form);
  const note = part(HTMLElement, "[data-note]", form);
  const button = part(HTMLButtonElement, ".primary", form);
  const draft = `changes ${form.dataset["url"]}`;

  const shown = (): Values => Object.fromEntries(Array.from(fields, ([name, { value }]) => [name, value]));
  const entries = (): Values => Object.fromEntries(Array.from(fields, ([name, field]) => [name, entryOf(field)]));
  const read = {
    etag: form.dataset["etag"] ?? "",
    values: Object.fromEntries(
      Array.from(fields, ([name, { defaultValue }]): [string, string] => [name, defaultValue]),
    ),
  };
  /** The state that what is typed differs from. */
  let base = read;
  /** The shown name as it follows its parts. */
  let followed = read.values["name"] ?? "";

  function clearFaults(): void {
    announce(banner, "");
    for (const field of fields.values()) {
      field.removeAttribute("aria-invalid");
      announce(faultOf(field), "");
    }
  }

  /** Puts each error at its field, in the words of the form; returns the problem if it is about no field. */
  function showProblem(problem: Problem): Problem | undefined {
    const faults = new Map<Field, string>();
    const others: string[] = [];
    for (const { pointer = "", detail } of problem.errors ?? []) {
      const name = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
      const near = [...fields.keys()].find((each) => each.startsWith(`${name}.`) || name.startsWith(`${each}.`));
      const field = fields.get(name) ?? fields.get(near ?? "");
      if (field === undefined || name === "") others.push(detail);
      else faults.set(field, `${labelOf(field.name)} ${field.dataset["fault"] ?? inWords(detail)}.`);
    }
    for (const [field, text] of faults) {
      field.setAttribute("aria-invalid", "true");
      announce(faultOf(field), text);
    }
    const [first] = faults.keys();
    if (first === undefined) return { detail: [problem.detail ?? problem.title ?? "", ...others].join(" ") };
    announce(banner, [others.join(" "), "Not right yet: "].join(" ").trimStart());
    const links = Array.from(faults.keys(), ({ id, name }) =>
      Object.assign(document.createElement("a"), { href: `#${id}`, textContent: labelOf(name) }),
    );
    banner.append(...links.flatMap((link, i) => (i === 0 ? [link] : [", ", link])));
    first.focus();
    return undefined;
  }

  const faultOf = ({ name }: Field): HTMLElement => part(HTMLElement, `#${CSS.escape(`e-${name}`)}`, form);
  const labelOf = (name: string): string =>
    form.querySelector(`label[for="${CSS.escape(`f-${name}`)}"]`)?.textContent ?? name;
  const inWords = (detail: string): string => detail.replaceAll(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => labelOf(name));

  function finish(): void {
    sessionStorage.removeItem(draft);
    base = read;
    followed = read.values["name"] ?? "";
    announce(note, "");
    clearFaults();
    form.reset();
    leave();
  }

  /** Changes a shown name, where the reader sees it, with the parts that it has; not one that the reader has typed. */
  function followParts(): void {
    const field = fields.get("name");
    if (field === undefined || field.value !== followed) return;
    const { name: before = "", ...parts } = base.values;
    const now = entries();
    if (before === derivedName(parts)) {
      followed = derivedName(now) || before;
    } else {
      const withParts = (name: string, part: string): string =>
        parts[part] === "" || now[part] === "" ? name : name.replace(` ${parts[part]} `, () => ` ${now[part]} `);
      followed = nameParts.reduce(withParts, ` ${before} `).trim();
    }
    field.value = followed;
  }

  form.addEventListener("input", () => {
    followParts();
    const changes = Object.entries(shown()).flatMap(([name, value]) => {
      const before = base.values[name];
      return value === before ? [] : [[name, { before, value }]];
    });
    if (changes.length === 0) sessionStorage.removeItem(draft);
    else sessionStorage.setItem(draft, JSON.stringify({ etag: base.etag, changes }));
  });
  part(HTMLElement, "[data-cancel]", form).addEventListener("click", finish);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    sendBy(button, banner, async () => {
      clearFaults();
      await loadDialogs();
      const problem = await submit(entries(), base.values, base.etag);
      return problem && showProblem(problem);
    });
  });

  return {
    finish,
    open() {
      const kept = sessionStorage.getItem(draft);
      if (kept !== null) {
        const { etag, changes }: Draft = JSON.parse(kept);
        base = { etag, values: { ...read.values } };
        for (const [name, { before, value }] of changes) {
          const field = fields.get(name);
          if (field === undefined) continue;
          base.values[name] = before;
          field.value = value;
        }
        const since =
          etag === read.etag
            ? ""
            : " Somebody else has changed this person since: saving keeps both changes, and asks you where they differ.";
        announce(note, `This is what you typed before, which is not stored yet.${since}`);
      }
      form.hidden = false;
      loadDialogs().catch(() => undefined);
      part(HTMLElement, "[name]", form).focus();
    },
    hasDraft: () => sessionStorage.getItem(draft) !== null,
    forget: () => sessionStorage.removeItem(draft),
    labelOf,
  };
}

/** What was typed, by member, and what it differs from, in the state with a tag. */
interface Draft {
  readonly etag: string;
  readonly changes: readonly (readonly [string, { readonly before: string; readonly value: string }])[];
}

/** What a field stands for: text without white space around it, unless it has several lines; a country named in words is its code. */
function entryOf(field: Field): string {
  const { value } = field;
  if (field instanceof HTMLTextAreaElement) return value;
  const text = value.trim();
  const written = text.toLowerCase();
  const option = Array.from(field.list?.options ?? []).find((each) =>
    [each.label.toLowerCase(), each.value.toLowerCase()].includes(written),
  );
  return option?.value ?? text;
}

/** The person that the values say: members without a value are absent. */
export function toPerson(values: Values): object {
  const person: Members = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== "") assign(person, name, value);
  }
  return person;
}

/** The merge patch (RFC 7396) from one state to another: null takes a member away. */
export function toPatch(before: Values, after: Values): object {
  const patch: Members = {};
  for (const [name, value] of Object.entries(after)) {
    if (value !== (before[name] ?? "")) assign(patch, name, value === "" ? null : value);
  }
  // An object such as an address has at least one member.
  const isKept = (outer: string): boolean =>
    Object.entries(after).some(([name, value]) => name.startsWith(`${outer}.`) && value !== "");
  for (const [outer, change] of Object.entries(patch)) {
    if (typeof change === "object" && !Array.isArray(change) && !isKept(outer)) patch[outer] = null;
  }
  // A name that was made of its parts is made again of what they are now.
  if (!("name" in patch) && nameParts.some((part) => part in patch) && before["name"] === derivedName(before)) {
    if (nameSources.some((part) => after[part] !== "")) patch["name"] = null;
  }
  return patch;
}

/** The members of which a name is made, those of which one is enough, and those that are lists, with a value on each line. */
const [nameParts, nameSources, lists] = ["nameParts", "nameSources", "lists"].map(
  (name) => document.querySelector<HTMLElement>("form.editor")?.dataset[name]?.split(" ") ?? [],
) as [string[], string[], string[]]; // of three there are three

const linesOf = (text: string): readonly string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const derivedName = (values: Values): string =>
  nameParts
    .map((part) => values[part])
    .filter((value) => value)
    .join(" ");

/** Members of a person, of which some are objects with members. */
type Members = Record<string, string | null | readonly string[] | Record<string, string | null>>;

function assign(target: Members, name: string, value: string | null): void {
  const [outer = "", inner] = name.split(".");
  if (inner === undefined) {
    target[outer] = value !== null && lists.includes(outer) ? linesOf(value) : value;
  } else {
    const given = target[outer];
    target[outer] = { ...(typeof given === "object" ? given : {}), [inner]: value };
  }
}

/** The members of a person as the form has them, absent ones as empty text. */
export function toValues(person: unknown, names: readonly string[]): Values {
  const valueAt = (name: string): unknown =>
    name
      .split(".")
      .reduce<unknown>(
        (value, key) =>
          value instanceof Object ? Object.entries(value).find(([each]) => each === key)?.[1] : undefined,
        person,
      );
  const textAt = (name: string): string => {
    const value = valueAt(name) ?? "";
    return Array.isArray(value) ? value.join("\n") : String(value);
  };
  return Object.fromEntries(names.map((name) => [name, textAt(name)]));
}
