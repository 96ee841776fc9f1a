import { hash } from "node:crypto";
import { StoreCursorInvalid } from "../store-errors.ts";

/** The place of a follower in the changes of one partition. */
export interface FeedPlace {
  /** The revision of the last change that the follower has. */
  readonly revision: number;
  /** The seal at that revision; 0 where the database has none. */
  readonly seal: number;
}

// A cursor is the places in all partitions, as bytes in base64url: the form of the cursor, a check, the number of partitions, and
// for each its revision and a mark of its seal. It gives no right to anything, so that the check has no secret: it finds cursors of
// other feeds, and those that were cut or made by hand.

/**
 * Makes the cursor of some places, as a text of `A-Z`, `a-z`, `0-9`, `-` and `_`.
 *
 * @param feed the name of the feed; in another one the cursor is not valid
 */
export function toFeedCursor(feed: string, places: readonly FeedPlace[]): string {
  const body: number[] = [];
  putWhole(body, places.length);
  for (const { revision, seal } of places) {
    putWhole(body, revision);
    const mark = markOf(seal);
    body.push(mark >> 16, (mark >> 8) & 0xff, mark & 0xff);
  }
  return Buffer.from([form, ...checkOf(feed, body), ...body]).toString("base64url");
}

/** Reads the places of a cursor; the seals are the marks of seals. Throws StoreCursorInvalid unless it was made for this feed. */
export function parseFeedCursor(feed: string, text: string): readonly FeedPlace[] {
  const bytes = Buffer.from(text, "base64url");
  const body = [...bytes.subarray(1 + checkLength)];
  // The decoder skips unknown characters, and a place has exactly one text.
  const isOurs = bytes[0] === form && bytes.toString("base64url") === text;
  if (!isOurs || !Buffer.from(checkOf(feed, body)).equals(bytes.subarray(1, 1 + checkLength))) {
    throw new StoreCursorInvalid("It is not a cursor of these changes");
  }
  // The check holds, so that the body is one of ours.
  const reader = { body, at: 0 };
  return Array.from({ length: takeWhole(reader) }, () => {
    const revision = takeWhole(reader);
    const [high = 0, middle = 0, low = 0] = body.slice(reader.at, reader.at + 3);
    reader.at += 3;
    return { revision, seal: (high << 16) | (middle << 8) | low };
  });
}

/** Returns whether the mark of a cursor is that of the seal which the database has at its place; undefined where it has none. */
export const isSealOf = (mark: number, seal: number | undefined): boolean =>
  seal === undefined || markOf(seal) === mark;

/** The number of this form of cursors. */
const form = 1;

/** In bytes. */
const checkLength = 6;

const checkOf = (feed: string, body: readonly number[]): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`${feed}\n`), Buffer.from(body)]), "buffer").subarray(0, checkLength);

/** Three bytes of a seal: a place of another history is taken for one of this in one of 16 million cases. */
const markOf = (seal: number): number => seal % 2 ** 24;

/** Adds a whole number, seven bits a byte, the lowest first. */
function putWhole(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  bytes.push(rest);
}

function takeWhole(reader: { readonly body: readonly number[]; at: number }): number {
  let [value, unit] = [0, 1];
  for (;;) {
    const byte = reader.body[reader.at++] ?? 0;
    value += (byte & 0x7f) * unit;
    if (byte < 0x80) return value;
    unit *= 0x80;
  }
}
