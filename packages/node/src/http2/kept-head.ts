import type { KeptHead, RenewedField, RepeatedAnswer } from "../memory/kept-answer.ts";

/** The head of an answer that is kept, as names and values in turn. */
export interface HeadFields extends KeptHead {
  readonly fields: readonly string[];
  /** The places of the values that are new each time. */
  readonly places: readonly number[];
}

/** Returns a head as it is kept; undefined where a field that is renewed is not one line of it. */
export function toHeadFields(fields: readonly string[], renewed: readonly RenewedField[]): HeadFields | undefined {
  const places = renewed.flatMap(({ name }) =>
    fields.flatMap((text, i) => (i % 2 === 0 && text === name.toLowerCase() ? [i + 1] : [])),
  );
  const isOnce = renewed.every(({ name }, i) => fields[(places[i] ?? 0) - 1] === name.toLowerCase());
  if (!isOnce || places.length > renewed.length) return undefined;
  return { fields: [...fields], places, renewed, size: fields.join("").length };
}

/** Returns the fields of an answer that is kept. */
export function toFields({ head, values }: RepeatedAnswer<HeadFields>): string[] {
  const fields = head.fields.slice();
  for (let i = 0; i < values.length; i++) fields[head.places[i] as number] = values[i] as string; // one for each
  return fields;
}
