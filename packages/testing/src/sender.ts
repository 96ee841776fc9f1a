import type { App } from "waymark";
import type { ContractAnswer } from "./answer.ts";
import type { ContractRequest } from "./requests/request.ts";

/** Returns what sends a request to the app, or to where it is served, and reads the answer. */
export function sender(
  app: App,
  base: string | URL | undefined,
): (request: ContractRequest) => Promise<ContractAnswer> {
  // A server has the host from the field, and a web Request from its URL.
  const inProcess = app.fetchHandler((request) => ({ address: "127.0.0.1", host: request.headers.get("Host") }));
  return async ({ method, target, headers, body, expects }) => {
    const bytes = body === undefined ? undefined : new TextEncoder().encode(body); // which has no type of its own
    let hasRead = false;
    const watched = (): ReadableStream =>
      new ReadableStream(
        {
          pull(controller) {
            hasRead = true;
            controller.enqueue(bytes);
            controller.close();
          },
        },
        { highWaterMark: 0 },
      );
    const isWatched = base === undefined && expects.guard === "refuses";
    const request = new Request(new URL(target, base ?? "http://localhost"), {
      method,
      headers,
      ...(bytes !== undefined && (isWatched ? { body: watched(), duplex: "half" } : { body: bytes })),
      redirect: "manual",
      signal: AbortSignal.timeout(longestAnswer),
    });
    const response = base === undefined ? await inProcess(request) : await fetch(request);
    return { status: response.status, headers: response.headers, bytes: await firstBytes(response), hasRead };
  };
}

/** In milliseconds. */
const longestAnswer = 30_000;

/** Reads an answer to its end; one of events has none. */
async function firstBytes(response: Response): Promise<Uint8Array> {
  if (!response.headers.get("Content-Type")?.startsWith("text/event-stream")) {
    return new Uint8Array(await response.arrayBuffer());
  }
  await response.body?.cancel();
  return new Uint8Array();
}
