import { reasonPhrase } from "waymark/internal";
import type { KeptHead, RenewedField, RepeatedAnswer } from "../../memory/kept-answer.ts";

/**
 * Makes the heads of responses (RFC 9112 §4, §6). What many have in common is made once: a status line for each status, and
 * the fields of date and connection for a second.
 */
export class ResponseHeads {
  readonly #keepAlive: string;
  #second = 0;
  #kept = "";
  #closed = "";

  /** @param keepAliveTimeout how long an idle connection is kept, in milliseconds; 0 for any time */
  constructor(keepAliveTimeout: number) {
    const seconds = Math.floor(keepAliveTimeout / 1000);
    this.#keepAlive = `Connection: keep-alive\r\n${seconds === 0 ? "" : `Keep-Alive: timeout=${seconds}\r\n`}\r\n`;
  }

  /**
   * @param lines the field lines of the response
   * @param framing how long its content is, or that it comes in chunks: a field line, or empty
   * @param closes whether the connection ends with it
   */
  make(status: number, lines: string, framing: string, closes: boolean): string {
    return firstLines(status, lines) + framing + this.lastLines(closes);
  }

  /** Returns the date, the fields of the connection and the empty line. */
  lastLines(closes: boolean): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) this.#renew(second);
    return closes ? this.#closed : this.#kept;
  }

  #renew(second: number): void {
    const date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
    this.#second = second;
    this.#kept = date + this.#keepAlive;
    this.#closed = `${date}Connection: close\r\n\r\n`;
  }
}

/** Returns the status line, and the field lines of the response. */
export function firstLines(status: number, lines: string): string {
  statusLines[status] ??= `HTTP/1.1 ${status} ${reasonPhrase(status) ?? "Unknown"}\r\n`;
  return statusLines[status] + lines;
}

const statusLines: (string | undefined)[] = [];

/** The interim response that lets a client send its content (RFC 9110 §15.2.1). */
export const interimResponse = "HTTP/1.1 100 Continue\r\n\r\n";

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
