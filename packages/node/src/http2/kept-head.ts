import type { AppRepetition } from "waymark/internal";
import type { KeptAnswer, KeptHead } from "../answer-memory.ts";

/** The head of an answer that is kept, as names and values in turn. */
export interface HeadFields extends KeptHead {
  readonly fields: readonly string[];
  /** The place of the value that is new each time. */
  readonly renewedAt: number;
  readonly renew: (() => string) | undefined;
}

/** Returns a head as it is kept; undefined where the field that is renewed is not one line of it. */
export function toHeadFields(fields: readonly string[], renewed: AppRepetition["renewed"]): HeadFields | undefined {
  const kept = { fields: [...fields], size: fields.join("").length, renewedAt: -1, renew: renewed?.value };
  if (renewed === undefined) return kept;
  const name = renewed.name.toLowerCase();
  const [renewedAt, ...more] = fields.flatMap((text, i) => (i % 2 === 0 && text === name ? i + 1 : []));
  return renewedAt === undefined || more.length > 0 ? undefined : { ...kept, renewedAt };
}

/** Returns the fields of an answer that is kept. */
export function toFields({ head: { fields, renewedAt, renew } }: KeptAnswer<HeadFields>): string[] {
  const current = fields.slice();
  if (renew !== undefined) current[renewedAt] = renew();
  return current;
}
