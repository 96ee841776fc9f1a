import { type Attribute, attribute, type ProblemDocument } from "waymark";
import type { Reader } from "../frame/reader.ts";
import { faultInWords, memberAt } from "../members/faults.ts";
import type { MemberFields } from "../members/fields.ts";
import type { Values } from "../members/typed.ts";

/** What somebody typed in a form of a person, and why it is not stored: with it, a page shows its form again. */
export interface Attempt {
  readonly typed: Values;
  /** The state that what was typed differs from; undefined for a person who is still to be stored. */
  readonly base?: Base;
  /** Why it was refused; undefined where nothing is wrong with it. */
  readonly refusal?: Refusal | undefined;
  /** Whether somebody else has changed the same members, so that both versions are shown. */
  readonly isContested?: boolean;
}

/** A state of a person that a form was made of. */
export interface Base {
  readonly values: Values;
  readonly entityTag: string | undefined;
}

export const attempt: Attribute<Attempt> = attribute("attempt");

/** What is wrong, in the words of the form. */
export interface Refusal {
  /** By member. */
  readonly faults: ReadonlyMap<string, string>;
  /** What is about no field of the form. */
  readonly message: string;
}

/** Makes a refusal that is about no field. */
export const refusalWith = (message: string): Refusal => ({ faults: new Map(), message });

/** Puts the errors of a problem in the words of the form. */
export function refusalOf(
  reader: Reader,
  { detail, title, errors = [] }: ProblemDocument,
  { edited }: MemberFields,
  { typed, base }: Attempt,
): Refusal {
  const labelOf = (name: string): string => edited.find((each) => each.name === name)?.label ?? name;
  const faults = new Map<string, string>();
  const others: string[] = [];
  for (const { pointer = "", detail } of errors) {
    const name = memberAt(pointer);
    const field = edited.find((each) => each.name === name) ?? edited.find((each) => areNear(each.name, name));
    if (field === undefined) others.push(`${detail}`);
    else faults.set(field.name, `${field.label} ${faultInWords(reader, `${detail}`, labelOf)}.`);
  }
  // What is typed in one of two linked fields, the service puts in the other as well.
  const isTyped = (name: string): boolean => typed[name] !== (base?.values[name] ?? "");
  for (const { name, of } of edited) {
    if (of === undefined || !faults.has(name)) continue;
    const singles = Array.from(faults.keys()).filter((each) => each === of || each.startsWith(`${of}.`));
    const echoes = isTyped(name) ? singles.filter((each) => !isTyped(each)) : [name];
    if (singles.length > 0) for (const each of echoes) faults.delete(each);
  }
  return { faults, message: faults.size > 0 ? others.join(" ") : [detail ?? title, ...others].join(" ") };
}

/** Returns whether one of two names is that of a part of the other: of a member of an object, or of a value of a list. */
const areNear = (one: string, other: string): boolean =>
  other !== "" && (one.startsWith(`${other}.`) || other.startsWith(`${one}.`));
