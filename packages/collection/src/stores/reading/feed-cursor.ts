import { hash } from "node:crypto";
import { StoreCursorInvalid } from "../contract/errors.ts";

/** The place of a follower in the changes of a collection. */
export interface FeedPlace {
  /** The era of the database, or the mark of it in a cursor. */
  readonly era: string;
  /** The transaction of the last change that the follower has, as a decimal number; 0 where a revision says all. */
  readonly tx: string;
  /** The revision of that change. */
  readonly revision: number;
  /** In a copy that is not whole yet, where it began: what was removed before was never in it. As a decimal number. */
  readonly began?: string | undefined;
}

// A cursor is a place, as bytes in base64url: the form of the cursor, a check, the mark of the era, the transaction, the revision and, in
// the form that has it, where the copy began. It gives no right to anything, so that the check has no secret: it finds cursors of other
// feeds, and those that were cut or made by hand.

/**
 * Makes the cursor of a place, as a text of `A-Z`, `a-z`, `0-9`, `-` and `_`.
 *
 * @param feed the name of the feed; in another one the cursor is not valid
 */
export function toFeedCursor(feed: string, { era, tx, revision, began }: FeedPlace): string {
  const form = began === undefined ? ofCopy : ofBegunCopy;
  const numbers = [tx, revision, ...(began === undefined ? [] : [began])];
  const body = [...Buffer.from(markOf(era), "base64url"), ...numbers.flatMap((each) => wholeOf(BigInt(each)))];
  return Buffer.from([form, ...checkOf(feed, form, body), ...body]).toString("base64url");
}

/** Reads the place of a cursor; its era is a mark. Throws StoreCursorInvalid unless the cursor was made for this feed. */
export function parseFeedCursor(feed: string, text: string): FeedPlace {
  const bytes = Buffer.from(text, "base64url");
  const marked = bytes.subarray(1 + checkLength);
  const reader = { body: marked.subarray(markLength), at: 0 };
  const place = {
    era: marked.subarray(0, markLength).toString("base64url"),
    tx: `${takeWhole(reader)}`,
    revision: Number(takeWhole(reader)),
    began: bytes[0] === ofBegunCopy ? `${takeWhole(reader)}` : undefined,
  };
  // Its text is the only one of this place: the decoder skips unknown characters, and numbers could have further bytes.
  const isWhole =
    place.era.length === markCharacters &&
    Number.isSafeInteger(place.revision) &&
    [place.tx, place.began ?? ""].every(({ length }) => length <= longestTransaction);
  if (!isWhole || toFeedCursor(feed, place) !== text)
    throw new StoreCursorInvalid("It is not a cursor of these changes");
  return place;
}

/** Returns whether a place is in this era. */
export const isInEra = (place: FeedPlace, era: string): boolean => markOf(place.era) === markOf(era);

/** Returns where a copy began, for the place that it is at now; undefined when it has all that there was then. */
export const stillBegan = (began: string, at: string | number): string | undefined =>
  BigInt(at) < BigInt(began) ? began : undefined;

/** The numbers of the forms of cursors. */
const ofCopy = 3;
const ofBegunCopy = 5;

/** In bytes. */
const checkLength = 6;

const checkOf = (feed: string, form: number, body: readonly number[]): Buffer =>
  hash("sha256", Buffer.concat([Buffer.from(`${feed} ${form}\n`), Buffer.from(body)]), "buffer").subarray(
    0,
    checkLength,
  );

/** In bytes: a place of another era is taken for one of this in one of 280 million million cases. */
const markLength = 6;

/** Returns the mark of an era; a mark is its own. */
const markOf = (era: string): string =>
  era.length === markCharacters ? era : hash("sha256", era, "base64url").slice(0, markCharacters);

const markCharacters = 8;

/** A transaction is a number of 64 bits. */
const longestTransaction = 20;

/** Returns the bytes of a whole number, seven bits a byte, the lowest first. */
function wholeOf(value: bigint): readonly number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return bytes;
}

/** Anybody can make a check, so that the body may say anything: a number has 64 bits at most. */
function takeWhole(reader: { readonly body: Uint8Array; at: number }): bigint {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = reader.body[reader.at++] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) break;
  }
  return value;
}
