import assert from "node:assert/strict";
import { afterEach, describe, it } from "node:test";
import { type RunningServer, serve } from "@waymark/node";
import { after, GET, router, text } from "waymark";
import { access, cors, describeProblems, nameRequests, securityHeaders } from "waymark/filters";
import { routerRefusals } from "waymark/internal";
import type { Engine } from "../src/options.ts";
import { RawConnection, type RawResponse } from "./tools/raw-connection.ts";

const seen: (readonly [method: string, path: string, refused: boolean])[] = [];
let server: RunningServer | undefined;
afterEach(async () => {
  seen.length = 0;
  await server?.close({ grace: 0 });
});

/** The answer of a server whom nobody gets in to, to these bytes. */
async function answerTo(bytes: string, engine: Engine = "waymark"): Promise<RawResponse> {
  const app = router(
    {
      filters: [
        nameRequests(),
        securityHeaders(),
        cors({ origins: ["https://app.example.com"] }),
        describeProblems(),
        access(() => ({ kind: "unauthenticated", challenges: ["Bearer"] })),
        after((request, response) => {
          seen.push([request.method, request.path, routerRefusals.isRefusedMessage(request)]);
          return response;
        }),
      ],
    },
    GET("/", () => text("let in")),
  );
  server = await serve(app, {
    engine,
    maxHeaderSize: 1_000,
    requestTimeout: 500,
  });
  const connection = new RawConnection(server.port).send(bytes);
  const answer = await connection.response();
  connection.destroy();
  return answer;
}

/** What the app's filters see of a message: its method where its head could be read. */
const refused: Readonly<Record<string, readonly [bytes: string, status: number, method: string]>> = {
  "bytes that are no message": ["\u0000\r\n\r\n", 400, ""],
  "an unknown method": ["FOO / HTTP/1.1\r\nHost: a\r\n\r\n", 501, "FOO"],
  "a field line without a colon": ["GET / HTTP/1.1\r\nHost\r\n\r\n", 400, ""],
  "another version": ["GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505, "GET"],
  "RTSP with a method of HTTP": ["GET / RTSP/1.0\r\nHost: a\r\nCSeq: 1\r\n\r\n", 505, "GET"],
  "no Host": ["GET / HTTP/1.1\r\n\r\n", 400, "GET"],
  "a Host that is not a host": ["GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "GET"],
  "a field twice": ["GET / HTTP/1.1\r\nHost: a\r\nAuthorization: a\r\nAuthorization: b\r\n\r\n", 400, "GET"],
  "a target that is too long": [`GET /${"a".repeat(600)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414, "GET"],
  "a head that is too long": [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(1_050)}\r\n\r\n`, 431, "GET"],
  "a head that is far too long": [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(9_000)}\r\n\r\n`, 431, ""],
  "a head that does not come": ["GET / HTTP/1.1\r\n", 408, ""],
  "a coding that nobody reads": ["POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, "POST"],
  "an expectation": ["POST / HTTP/1.1\r\nHost: a\r\nExpect: rain\r\nContent-Length: 1\r\n\r\n", 417, "POST"],
  "a tunnel": ["CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 501, "CONNECT"],
};

describe("a message that is refused before it is a request", () => {
  for (const engine of ["waymark", "node:http"] as const) {
    for (const [what, [bytes, status, method]] of Object.entries(refused)) {
      if (engine === "node:http" && what.startsWith("RTSP")) continue; // Node does not say which protocol it was
      it(`for ${what} is answered ${status} as the web filters leave it (${engine})`, async () => {
        const { status: answered, headers, body } = await answerTo(bytes, engine);
        assert.equal(answered, status);
        assert.equal(headers["content-type"], "application/problem+json");
        assert.equal(JSON.parse(body).instance, `urn:uuid:${headers["x-request-id"]}`);
        assert.equal(headers["cross-origin-resource-policy"], "same-origin");
        assert.match(headers["vary"] ?? "", /Origin/);
        // Of a method that HTTP does not have, Node reads no head.
        assert.deepEqual(seen, [[engine === "node:http" && what === "an unknown method" ? "" : method, "*", true]]);
      });
    }
  }

  it("is answered in the form and with the id that its head asks for, where that can be read", async () => {
    const fields = "Accept: application/xml\r\nX-Request-Id: its-own\r\nOrigin: https://app.example.com\r\n";
    const { status, headers, body } = await answerTo(`GET / HTTP/1.1\r\n${fields}\r\n`);
    assert.deepEqual([status, headers["x-request-id"]], [400, "its-own"]);
    assert.equal(headers["access-control-allow-origin"], "https://app.example.com");
    assert.match(body, /<instance>#its-own<\/instance>/);
  });

  it("can be read by scripts of an allowed origin, also for an unknown method", async () => {
    const { headers, body } = await answerTo("FOO / HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example.com\r\n\r\n");
    assert.equal(headers["access-control-allow-origin"], "https://app.example.com");
    assert.equal(JSON.parse(body).detail, 'The method "FOO" is not known.');
  });

  for (const target of ["/", "/%zz"]) {
    it(`differs from the answer to a sound one for ${target}, which the guard does not let in`, async () => {
      assert.equal((await answerTo(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`)).status, 401);
      assert.deepEqual(seen, []);
    });
  }
});
