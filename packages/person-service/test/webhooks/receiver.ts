import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

/** A message as it came to a receiver. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly id: number };
  readonly path: string;
  readonly isSigned: boolean;
}

/** Answers a message: with a status, or by itself. */
type Answer = (message: Received, response: ServerResponse) => number | undefined;

/** A server that webhooks are sent to. */
export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly received: readonly Received[];
  answer: Answer;
  /** Resolves when the messages that came fulfil a condition. */
  until(holds: (received: readonly Received[]) => boolean): Promise<void>;
}

export const secretText: string = `whsec_${Buffer.alloc(32, "k").toString("base64")}\n`;

/** @param certificate for a receiver over TLS */
export async function startReceiver(
  answer: Answer = () => 204,
  certificate?: { readonly cert: Buffer; readonly key: Buffer },
): Promise<Receiver> {
  const received: Received[] = [];
  let wake: () => void = () => undefined;
  const listener: RequestListener = async (request, response) => {
    const message = await read(request);
    received.push(message);
    const status = receiver.answer(message, response);
    if (status !== undefined) response.writeHead(status).end();
    wake();
  };
  const server = certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  const receiver: Receiver = {
    url: `http${certificate === undefined ? "" : "s"}://localhost:${port}/people`,
    port,
    received,
    answer,
    async until(holds) {
      while (!holds(received)) await new Promise<void>((resolve) => (wake = resolve));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

async function read(request: IncomingMessage): Promise<Received> {
  const body = await text(request);
  const content = JSON.parse(body) as Pick<Received, "type" | "timestamp" | "data">; // as a service sends it
  let isSigned = true;
  try {
    verifier.verify(body, request.headers as Readonly<Record<string, string>>); // those of a message are there once
  } catch {
    isSigned = false;
  }
  return { ...content, id: String(request.headers["webhook-id"]), path: request.url ?? "", isSigned };
}

const verifier = new Webhook(secretText.trim());
