import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The code of the problem, or undefined. */
  readonly code: string | undefined;
}

/** A person-service on a socket and an empty database in memory. */
export interface Service extends AsyncDisposable {
  readonly port: number;
  send(
    method: string,
    target: string,
    headers?: Readonly<Record<string, string>>,
    content?: string | Uint8Array<ArrayBuffer>,
  ): Promise<Answer>;
}

/** Starts a service. Disposing of it fails if it had a fault, which its clients see as a 500. */
export async function startService(): Promise<Service> {
  const faults: unknown[] = [];
  const { app, database } = await openPersonService({ database: ":memory:", onFault: (fault) => faults.push(fault) });
  const server = await serve(app);
  return {
    port: server.port,
    async send(method, target, headers = {}, content) {
      const body = content === undefined ? {} : { body: content };
      const response = await fetch(`http://127.0.0.1:${server.port}${target}`, { method, headers, ...body });
      const text = await response.text();
      const isProblem = response.headers.get("Content-Type")?.startsWith("application/problem+json") === true;
      const code = isProblem ? String(JSON.parse(text).type).split("/").at(-1) : undefined;
      return { status: response.status, headers: response.headers, text, code };
    },
    async [Symbol.asyncDispose]() {
      await server.close({ grace: 0 });
      await database.close();
      if (faults.length > 0) throw new AggregateError(faults, "The service had faults");
    },
  };
}
