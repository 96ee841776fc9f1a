import type { AppRepetition } from "waymark/internal";
import type { KeptAnswer, KeptHead } from "../answer-memory.ts";

/** The head of an answer that is kept, without what the connection adds, as texts each of whose characters is a byte. */
export interface HeadText extends KeptHead {
  readonly before: string;
  /** Returns what stands between the two texts, new each time. */
  readonly renew: (() => string) | undefined;
  readonly after: string;
}

/** Returns a head as it is kept; undefined where the field that is renewed is not one line of it. */
export function toHeadText(head: string, renewed: AppRepetition["renewed"]): HeadText | undefined {
  if (renewed === undefined) return { before: flat(head), renew: undefined, after: "", size: head.length };
  const start = `\r\n${renewed.name}: `;
  const [before, rest = "", ...more] = head.split(start);
  const end = rest.indexOf("\r\n");
  if (end < 0 || more.length > 0) return undefined;
  return { before: flat(before + start), renew: renewed.value, after: flat(rest.slice(end)), size: head.length };
}

/** Returns an answer that is kept, with these lines at the end of its head. */
export function toText({ head, content }: KeptAnswer<HeadText>, lines: string): string {
  const { before, renew, after } = head;
  return before + (renew === undefined ? "" : renew()) + after + lines + content;
}

/** Makes a text that is one piece of memory: one that is put together of many is joined each time that it is sent. */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
