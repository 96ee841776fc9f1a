import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { version } from "../package-files.ts";
import { hasPrivateAddress, PrivateAddressError, publicLookup } from "./addresses.ts";
import type { WebhookSettings } from "./settings.ts";
import { signedFields } from "./signing.ts";

/** What is sent to a webhook. The id is the same for each attempt. */
export interface WebhookMessage {
  readonly id: string;
  readonly body: string;
}

/** Sends messages to one webhook. */
export interface Delivery {
  /** Sends a message; resolves with why it was not taken, or undefined when it was. */
  send(message: WebhookMessage, signal: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/**
 * Makes what sends messages to a webhook. An answer of 2xx takes a message. Redirects are not followed, an attempt ends after its
 * time, and of the answer only the status counts: what is longer than 16 KiB is not read.
 *
 * @param timeout in milliseconds
 */
export function delivery({ url, allowsPrivateAddresses }: WebhookSettings, key: Uint8Array, timeout: number): Delivery {
  const target = new URL(url);
  const isSecure = target.protocol === "https:";
  const options = { keepAlive: true, maxSockets: mostAtOnce };
  const agent = isSecure ? new SecureAgent(options) : new PlainAgent(options);
  const post = isSecure ? secureRequest : plainRequest;

  const attempt = async ({ id, body }: WebhookMessage, signal: AbortSignal): Promise<number> => {
    // An address is not looked up.
    if (!allowsPrivateAddresses && hasPrivateAddress(target)) throw new PrivateAddressError();
    const headers = {
      "Content-Type": "application/json",
      "Content-Length": Buffer.byteLength(body),
      "User-Agent": `person-service/${version()}`,
      ...signedFields(key, id, body, Math.floor(Date.now() / 1000)),
    };
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const lookup = allowsPrivateAddresses ? undefined : publicLookup;
    const sent = post(target, { method: "POST", agent, headers, ...(lookup && { lookup }) });
    // The signal settles the attempt itself: Node has ends of requests of which it emits neither a response nor an error.
    const cut = (): void => {
      reject(signal.reason);
      sent.destroy();
    };
    signal.addEventListener("abort", cut);
    sent.on("response", (response) => void letGo(response).then(() => resolve(response.statusCode ?? 0)));
    // Without a listener, Node destroys the request without a word.
    sent.on("upgrade", (_response, socket) => {
      socket.destroy();
      resolve(101);
    });
    sent.on("error", reject).end(body);
    try {
      signal.throwIfAborted();
      return await promise;
    } finally {
      signal.removeEventListener("abort", cut);
    }
  };

  return {
    async send(message, signal) {
      const deadline = AbortSignal.timeout(timeout);
      try {
        const status = await attempt(message, AbortSignal.any([signal, deadline]));
        if (status >= 200 && status < 300) return undefined;
        return status >= 300 && status < 400 ? `${status}: redirects are not followed` : `${status}`;
      } catch (error) {
        if (deadline.aborted) return `no answer within ${timeout / 1000} s`;
        const code = (error as NodeJS.ErrnoException).code; // of the system, or of none
        return error instanceof PrivateAddressError ? error.message : (code ?? String(error));
      }
    },
    close: () => agent.destroy(),
  };
}

/** Reads an answer to its end, so that the connection can be used again; one that is long or slow is cut. */
function letGo(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    response.on("data", (piece: Buffer) => {
      size += piece.length;
      if (size > longestAnswer) response.destroy();
    });
    response.on("error", () => undefined);
    response.on("close", resolve);
  });
}

/** In bytes. */
const longestAnswer = 16_384;

/** How many messages are sent at a time. */
export const mostAtOnce = 8;
