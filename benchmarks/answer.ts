import { request } from "node:http";

/** What a server answers, as far as the servers must agree. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly entityTag: string | undefined;
  readonly body: Buffer;
}

/** The servers do not do the same work: what was measured of them could not be compared. */
export class AnswersDiffer extends Error {
  override readonly name = "AnswersDiffer";
}

/** Asks once, with these header fields and no others but Host and Connection, as the load generators do. */
export function askFor(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const ask = request(url, { headers, signal, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("error", reject);
      response.on("end", () => {
        // A client's response always has a status.
        const status = response.statusCode as number;
        const { "content-type": contentType, etag: entityTag } = response.headers;
        resolve({ status, contentType, entityTag, body: Buffer.concat(pieces) });
      });
    });
    ask.on("error", reject).end();
  });
}

/**
 * The answer that every server gives.
 *
 * @throws AnswersDiffer when one has another status than is wanted, or the answers differ in status, Content-Type or a
 *   byte of the body
 */
export function agreedAnswer(answers: ReadonlyMap<string, Answer>, wantedStatus: number): Answer {
  const [first, ...others] = answers;
  if (first === undefined) throw new RangeError("There are no answers to compare");
  const [firstName, agreed] = first;
  if (agreed.status !== wantedStatus) {
    throw new AnswersDiffer(`${firstName} answers ${agreed.status} where ${wantedStatus} is wanted`);
  }
  for (const [name, answer] of others) {
    const difference = differenceOf(answer, agreed);
    if (difference !== undefined) throw new AnswersDiffer(`${name} and ${firstName} answer differently: ${difference}`);
  }
  return agreed;
}

function differenceOf(one: Answer, other: Answer): string | undefined {
  if (one.status !== other.status) return `status ${one.status} and ${other.status}`;
  if (one.contentType !== other.contentType) return `Content-Type ${one.contentType} and ${other.contentType}`;
  if (one.body.equals(other.body)) return undefined;
  return `bodies of ${one.body.length} and ${other.body.length} bytes, ${excerpt(one.body)} and ${excerpt(other.body)}`;
}

const excerpt = (body: Buffer): string => JSON.stringify(body.toString("utf8", 0, 80));
