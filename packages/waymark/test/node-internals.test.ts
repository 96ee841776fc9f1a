import assert from "node:assert/strict";
import { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import { parsedHeaders } from "../src/fields/header-list.ts";
import { GET, HttpResponse, router } from "../src/index.ts";
import { RawConnection, type RawResponse } from "./raw-connection.ts";

// Before the adapter is loaded: a Node whose writeHead does not call the step that the adapter overrides.
const { writeHead } = ServerResponse.prototype;
const step: unknown = Reflect.get(ServerResponse.prototype, "_storeHeader");
let heads = 0;
Reflect.set(ServerResponse.prototype, "writeHead", function (this: ServerResponse, ...parts: readonly unknown[]) {
  heads++;
  Object.defineProperty(this, "_storeHeader", { value: step });
  return Reflect.apply(writeHead, this, parts);
});
const { serve } = await import("../src/node/index.ts");

const faults: unknown[] = [];
const fields = ["X-Latin", "caf\u00e9", "Content-Length", "99", "Set-Cookie", "a=1", "Set-Cookie", "b=2"];
const app = router(
  { onFault: (error) => faults.push(error) },
  GET("/", () => new HttpResponse(200, parsedHeaders(fields), "\u00e9t\u00e9")),
  GET("/pieces", () => new HttpResponse(200, { "X-Kept": "1" }, new Response("one, two").body)),
  GET("/unsendable", () => new HttpResponse(200, parsedHeaders(["X-Kept", "1", "X", "a\r\nY: b"]), "")),
);

async function responses(...paths: readonly string[]): Promise<readonly RawResponse[]> {
  const server = await serve(app);
  const connection = new RawConnection(server.port);
  try {
    const got: RawResponse[] = [];
    for (const path of paths) {
      connection.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
      got.push(await connection.response());
    }
    return got;
  } finally {
    connection.destroy();
    await server.close({ grace: 0 });
  }
}

describe("serve on a Node that makes the heads of responses in a way of its own", () => {
  it("sends the fields of each response, and the length that it has", async () => {
    const [first, second] = await responses("/", "/pieces");
    assert.ok(heads > 0);
    assert.equal(first?.status, 200);
    assert.match(first?.head ?? "", /\r\nX-Latin: caf\u00e9\r\n/);
    assert.match(first?.head ?? "", /\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n/);
    assert.equal(first?.headers["content-length"], "5");
    assert.ok(first?.headers["date"]);
    assert.deepEqual([second?.headers["x-kept"], second?.body], ["1", "one, two"]);
  });

  it("answers 500 for a field that cannot be sent, with no field of the response that failed", async () => {
    const [failed, next] = await responses("/unsendable", "/");
    assert.equal(failed?.status, 500);
    assert.equal(failed?.headers["x-kept"], undefined);
    assert.equal(failed?.headers["content-type"], "application/problem+json");
    assert.ok(faults.length === 1 && faults[0] instanceof TypeError, String(faults));
    assert.equal(next?.status, 200);
  });
});
