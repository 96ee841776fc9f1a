import { announce, noAnswer, wordsOf } from "./api.js";

/**
 * The form of a person: its values by member, its faults at their fields, and a draft that outlives a reload.
 *
 * @param submit sends the values; resolves with the problem of the refusal, or with nothing
 * @param leave what happens once the form is done with
 */
export function personEditor(form, { submit, leave }) {
  const fields = new Map(Array.from(form.querySelectorAll("[name]"), (field) => [field.name, field]));
  const banner = form.querySelector(".banner");
  const button = form.querySelector(".primary");
  const draft = `draft ${form.dataset.url}`;

  const values = () => Object.fromEntries(Array.from(fields, ([name, { value }]) => [name, value]));
  const entries = () => Object.fromEntries(Array.from(fields, ([name, field]) => [name, entryOf(field)]));
  const initial = Object.fromEntries(Array.from(fields, ([name, { defaultValue }]) => [name, defaultValue]));
  const isChanged = () => Array.from(fields.values()).some(({ value, defaultValue }) => value !== defaultValue);

  function set(given) {
    for (const [name, value] of Object.entries(given)) {
      const field = fields.get(name);
      if (field !== undefined) field.value = value;
    }
  }

  function clearFaults() {
    announce(banner, "");
    for (const [name, field] of fields) {
      field.removeAttribute("aria-invalid");
      announce(form.querySelector(`#${CSS.escape(`e-${name}`)}`), "");
    }
  }

  /** Puts each error at its field, and what has no field above the form. */
  function showProblem(problem) {
    clearFaults();
    const others = [];
    let first;
    for (const { pointer = "", detail } of problem.errors ?? []) {
      const name = pointer.replace(/^#\/?/, "").replaceAll("/", ".");
      const field =
        fields.get(name) ?? fields.get(Array.from(fields.keys()).find((each) => each.startsWith(`${name}.`)));
      if (field === undefined || name === "") {
        others.push(detail);
        continue;
      }
      field.setAttribute("aria-invalid", "true");
      announce(form.querySelector(`#${CSS.escape(`e-${field.name}`)}`), sentence(detail));
      first ??= field;
    }
    if (first === undefined) announce(banner, [wordsOf(problem), ...others.map(sentence)].join(" "));
    else announce(banner, others.length > 0 ? others.map(sentence).join(" ") : "Some fields are not right yet.");
    (first ?? banner).focus();
  }

  function finish() {
    sessionStorage.removeItem(draft);
    clearFaults();
    form.reset();
    leave();
  }

  form.addEventListener("input", () => {
    if (isChanged()) sessionStorage.setItem(draft, JSON.stringify(values()));
    else sessionStorage.removeItem(draft);
  });
  form.querySelector("[data-cancel]").addEventListener("click", finish);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    clearFaults();
    try {
      const problem = await submit(entries(), initial);
      if (problem !== undefined) showProblem(problem);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      announce(banner, noAnswer);
    } finally {
      button.disabled = false;
    }
  });

  return {
    set,
    finish,
    /** Shows the form, with what was typed before if that was not stored. */
    open() {
      const kept = sessionStorage.getItem(draft);
      if (kept !== null) {
        set(JSON.parse(kept));
        announce(banner, "This is what you typed before, which is not stored yet.");
      }
      form.hidden = false;
      form.querySelector("[name]").focus();
    },
    hasDraft: () => sessionStorage.getItem(draft) !== null,
    forget: () => sessionStorage.removeItem(draft),
    labelOf: (name) => form.querySelector(`label[for="${CSS.escape(`f-${name}`)}"]`)?.textContent ?? name,
  };
}

/** What a field stands for: text without white space around it, unless it has several lines; a country named in words is its code. */
function entryOf({ type, value, list }) {
  if (type === "textarea") return value;
  const text = value.trim();
  const option = Array.from(list?.options ?? []).find(({ label }) => label.toLowerCase() === text.toLowerCase());
  return option?.value ?? text;
}

const sentence = (detail) => `${detail.charAt(0).toUpperCase()}${detail.slice(1)}.`;

/** The person that the values say: members without a value are absent. */
export function toPerson(values) {
  const person = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== "") assign(person, name, value);
  }
  return person;
}

/** The merge patch (RFC 7396) from one state to another: null takes a member away. */
export function toPatch(before, after) {
  const patch = {};
  for (const [name, value] of Object.entries(after)) {
    if (value !== (before[name] ?? "")) assign(patch, name, value === "" ? null : value);
  }
  // An address has at least one member.
  const keepsAddress = Object.entries(after).some(([name, value]) => name.startsWith("address.") && value !== "");
  if (patch.address !== undefined && !keepsAddress) patch.address = null;
  // A name that was made of its parts is made again of what they are now.
  if (!("name" in patch) && nameParts.some((part) => part in patch) && before.name === derivedName(before)) {
    if (after.givenName !== "" || after.familyName !== "") patch.name = null;
  }
  return patch;
}

const nameParts = ["givenName", "additionalName", "familyName"];

const derivedName = (values) =>
  nameParts
    .map((part) => values[part])
    .filter((value) => value)
    .join(" ");

function assign(target, name, value) {
  const [outer, inner] = name.split(".");
  if (inner === undefined) {
    target[outer] = value;
  } else {
    target[outer] ??= {};
    target[outer][inner] = value;
  }
}

/** The members of a person as the form has them, absent ones as empty text. */
export function toValues(person, names) {
  const valueAt = (name) => name.split(".").reduce((value, part) => value?.[part], person);
  return Object.fromEntries(names.map((name) => [name, valueAt(name) ?? ""]));
}
