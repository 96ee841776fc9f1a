import { isJsonObject } from "./json-object.ts";

/** A member that had another name in the same object. */
export interface RenamedMember {
  /** `title`, or `address.postalCode` for a member of an object. */
  readonly name: string;
  /** Its former name, without that of the object: `zip`. */
  readonly former: string;
}

/** Returns the whole former name: `address.zip`. */
export const formerPath = ({ name, former }: RenamedMember): string =>
  [...name.split(".").slice(0, -1), former].join(".");

/** Returns what gives the members of a document their present names; where all have them, it returns the document itself. */
export function toPresentNames(renamed: readonly RenamedMember[]): (document: unknown) => unknown {
  const paths = renamed.map(({ name, former }) => ({ path: name.split("."), former }));
  return (document) => paths.reduce((value, { path, former }) => rename(value, path, former), document);
}

/** Returns the same for the JSON text of a document. */
export function toPresentText(renamed: readonly RenamedMember[]): (json: string) => string {
  const toPresent = toPresentNames(renamed);
  return (json) => {
    if (!renamed.some(({ former }) => json.includes(`"${former}":`))) return json;
    const document: unknown = JSON.parse(json);
    const present = toPresent(document);
    return present === document ? json : JSON.stringify(present);
  };
}

function rename(value: unknown, path: readonly string[], former: string): unknown {
  if (Array.isArray(value)) {
    const present = value.map((each) => rename(each, path, former));
    return present.every((each, i) => each === value[i]) ? value : present;
  }
  const [name = "", ...inner] = path;
  if (!isJsonObject(value) || !Object.hasOwn(value, inner.length > 0 ? name : former)) return value;
  if (inner.length > 0) {
    const present = rename(value[name], inner, former);
    return present === value[name] ? value : { ...value, [name]: present };
  }
  // What has both was changed last by a version that knows only the former one.
  const entries = Object.entries(value).filter(([key]) => key !== name);
  return Object.fromEntries(entries.map(([key, each]) => [key === former ? name : key, each]));
}
