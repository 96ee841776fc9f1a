import type { KeptHead, RenewedField } from "../memory/kept-answer.ts";
import type { RepeatedAnswer } from "../memory/repeated-answer.ts";

/** The head of an answer that is kept, without what the connection adds, as texts each of whose characters is a byte. */
export interface HeadText extends KeptHead {
  readonly start: string;
  /** What follows the value of each field that is renewed. */
  readonly rest: readonly string[];
}

/** Returns a head as it is kept; undefined where a field that is renewed is not one line of it. */
export function toHeadText(head: string, renewed: readonly RenewedField[]): HeadText | undefined {
  const lines = renewed.map((field) => {
    const start = `\r\n${field.name}: `;
    const at = head.indexOf(start) + start.length;
    return { field, start: at, end: head.indexOf("\r\n", at), isOne: head.split(start).length === 2 };
  });
  if (!lines.every(({ isOne }) => isOne)) return undefined;
  lines.sort((one, other) => one.start - other.start);
  const starts = [0, ...lines.map(({ end }) => end)];
  const [start = "", ...rest] = starts.map((from, i) => flat(head.slice(from, lines[i]?.start)));
  return { start, rest, renewed: lines.map(({ field }) => field), size: head.length };
}

/** Returns an answer that is kept, with these lines at the end of its head. */
export function toText({ head, content, values }: RepeatedAnswer<HeadText>, lines: string): string {
  let text = head.start;
  for (let i = 0; i < values.length; i++) text += `${values[i]}${head.rest[i]}`;
  return text + lines + content;
}

/** Makes a text that is one piece of memory: one that is put together of many is joined each time that it is sent. */
const flat = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
