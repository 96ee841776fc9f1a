import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import type { RecordChange } from "@waymark/collection";
import { Webhook } from "standardwebhooks";
import { FileError, readTextSync } from "../access/files/json-file.ts";
import { version } from "../package-files.ts";
import {
  hasPrivateAddress,
  PrivateAddressError,
  publicLookup,
  type WebhookSettings,
  type WebhookType,
} from "./settings.ts";

/** Sends messages to one webhook. */
export interface Delivery {
  /** Sends a message; resolves with why it was not taken, or undefined when it was. */
  send(message: WebhookMessage, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/**
 * Makes what sends signed messages to a webhook. An answer of 2xx takes a message. Redirects are not followed, and of the answer
 * only the status counts: what is longer than 16 KiB is not read.
 *
 * @param timeout of an attempt, in milliseconds
 * @throws FileError when the file of the secret cannot be used
 */
export function delivery({ url, secretFile, allowsPrivateAddresses }: WebhookSettings, timeout: number): Delivery {
  const signer = readWebhookSecret(secretFile);
  const target = new URL(url);
  const isSecure = target.protocol === "https:";
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new PlainAgent({ keepAlive: true });
  const post = isSecure ? secureRequest : plainRequest;
  const lookup = allowsPrivateAddresses ? {} : { lookup: publicLookup };

  return {
    async send({ id, body }, signal) {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const now = new Date();
      const headers = {
        "Content-Type": "application/json",
        "Content-Length": Buffer.byteLength(body),
        "User-Agent": `person-service/${version()}`,
        "webhook-id": id,
        "webhook-timestamp": Math.floor(now.getTime() / 1000),
        "webhook-signature": signer.sign(id, now, body),
      };
      // An address is not looked up.
      if (!allowsPrivateAddresses && hasPrivateAddress(target)) return new PrivateAddressError().message;
      const deadline = AbortSignal.timeout(timeout);
      const end = AbortSignal.any([signal, deadline]);
      const sent = post(target, { method: "POST", agent, headers, ...lookup });
      // The signal settles the attempt itself: Node has ends of requests of which it emits neither a response nor an error.
      const cut = (): void => {
        resolve(deadline.aborted ? `no answer within ${timeout / 1000} s` : "interrupted");
        sent.destroy();
      };
      end.addEventListener("abort", cut);
      sent.on("response", (response) => letGo(response, () => resolve(refusalBy(response.statusCode ?? 0))));
      // Without a listener, Node destroys the request without a word.
      sent.on("upgrade", (_response, socket) => {
        socket.destroy();
        resolve("101");
      });
      sent.on("error", (error: NodeJS.ErrnoException) => {
        resolve(error instanceof PrivateAddressError ? error.message : (error.code ?? String(error)));
      });
      sent.end(body);
      if (end.aborted) cut();
      return promise.finally(() => end.removeEventListener("abort", cut));
    },
    close: () => agent.destroy(),
  };
}

/**
 * Reads the secret of a webhook, `whsec_` and 24 to 64 bytes in base64, and returns what signs with it.
 *
 * @throws FileError when the file cannot be used
 */
export function readWebhookSecret(file: string): Webhook {
  const text = readTextSync(file).trim();
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(encoded ?? "", "base64");
  if (length >= 24 && length <= 64) return new Webhook(text);
  throw new FileError(file, ["it must have whsec_ and 24 to 64 random bytes in base64"]);
}

function refusalBy(status: number): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  return status >= 300 && status < 400 ? `${status}: redirects are not followed` : `${status}`;
}

/** Reads an answer to its end, so that the connection can be used again; one that is long is cut. */
function letGo(response: IncomingMessage, done: () => void): void {
  let size = 0;
  response.on("data", (piece: Buffer) => {
    size += piece.length;
    if (size > longestAnswer) response.destroy();
  });
  response.on("error", () => undefined);
  response.on("close", done);
}

/** In bytes. */
const longestAnswer = 16_384;

/** What is sent to a webhook. The id is that of the change, in each attempt. */
interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** A change, where a removal has the time at which it was first read: the feed has none. */
export type TimedChange =
  | Extract<RecordChange, { readonly kind: "stored" }>
  | (Extract<RecordChange, { readonly kind: "removed" }> & { readonly at: number });

/** Makes the message of a change, the same for each attempt; undefined where the webhook does not want it. */
export function messageOf(change: TimedChange, { types, fields }: WebhookSettings): WebhookMessage | undefined {
  const isStored = change.kind === "stored";
  const type: WebhookType = isStored ? "person.stored" : "person.removed";
  if (!types.includes(type)) return undefined;
  const { id, revision } = isStored ? change.record : change;
  const timestamp = new Date(isStored ? change.record.updatedAt : change.at).toISOString();
  const data = isStored ? chosenOf(change.record.json, fields) : { id };
  return { id: `person-${id}-${revision}`, body: JSON.stringify({ type, timestamp, data }) };
}

function chosenOf(json: string, fields: readonly string[] | undefined): unknown {
  const person = JSON.parse(json) as Readonly<Record<string, unknown>>; // a record is an object
  if (fields === undefined) return person;
  return Object.fromEntries(
    ["id", ...fields].flatMap((name) => (Object.hasOwn(person, name) ? [[name, person[name]]] : [])),
  );
}
