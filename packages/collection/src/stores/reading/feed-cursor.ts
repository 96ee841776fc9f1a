import { hash } from "node:crypto";
import { StoreCursorInvalid } from "../contract/errors.ts";

/** The place of a follower in the changes of one partition. */
export interface FeedPlace {
  /** The revision of the last change that the follower has. */
  readonly revision: number;
  /** The seal at that revision, 0 where the database has none; undefined in a place that is not held to one history. */
  readonly seal: number | undefined;
}

// A cursor is the places in all partitions, as bytes in base64url: the form of the cursor, a check, the number of partitions, and
// for each its revision and, in the sealed form, a mark of its seal. It gives no right to anything, so that the check has no secret: it finds cursors of
// other feeds, and those that were cut or made by hand.

/**
 * Makes the cursor of some places, as a text of `A-Z`, `a-z`, `0-9`, `-` and `_`.
 *
 * @param feed the name of the feed; in another one the cursor is not valid
 */
export function toFeedCursor(feed: string, places: readonly FeedPlace[]): string {
  const form = places.every(({ seal }) => seal === undefined) ? bare : sealed;
  const body: number[] = [];
  putWhole(body, places.length);
  for (const { revision, seal = 0 } of places) {
    putWhole(body, revision);
    if (form === bare) continue;
    const mark = markOf(seal);
    body.push(mark >> 16, (mark >> 8) & 0xff, mark & 0xff);
  }
  return Buffer.from([form, ...checkOf(feed, form, body), ...body]).toString("base64url");
}

/** Reads the places of a cursor; the seals are the marks of seals. Throws StoreCursorInvalid unless it was made for this feed. */
export function parseFeedCursor(feed: string, text: string): readonly FeedPlace[] {
  const bytes = Buffer.from(text, "base64url");
  const [form = 0] = bytes;
  const body = [...bytes.subarray(1 + checkLength)];
  const reader = { body, at: 0 };
  const count = takeWhole(reader);
  // Anybody can make a check, so that the body may say anything. Each place has a byte at least.
  const places = Array.from({ length: Math.min(count, body.length) }, (): FeedPlace => {
    const revision = takeWhole(reader);
    if (form !== sealed) return { revision, seal: undefined };
    const [high = 0, middle = 0, low = 0] = body.slice(reader.at, reader.at + 3);
    reader.at += 3;
    return { revision, seal: (high << 16) | (middle << 8) | low };
  });
  const isWhole = places.length === count && places.every(({ revision }) => Number.isSafeInteger(revision));
  // Its text is the only one of these places: the decoder skips unknown characters, and numbers could have further bytes.
  if (!isWhole || toFeedCursor(feed, places) !== text) {
    throw new StoreCursorInvalid("It is not a cursor of these changes");
  }
  return places;
}

/** Returns whether the mark of a cursor, if it has one, is that of the seal which the database has at its place, if it has one. */
export const isSealOf = (mark: number | undefined, seal: number | undefined): boolean =>
  mark === undefined || seal === undefined || markOf(seal) === mark;

/** The numbers of the forms of cursors. */
const sealed = 1;
const bare = 2;

/** In bytes. */
const checkLength = 6;

const checkOf = (feed: string, form: number, body: readonly number[]): Buffer => {
  const name = form === sealed ? feed : `${feed} ${form}`;
  return hash("sha256", Buffer.concat([Buffer.from(`${name}\n`), Buffer.from(body)]), "buffer").subarray(
    0,
    checkLength,
  );
};

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
