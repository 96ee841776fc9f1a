import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { oldApplication } from "./beside-express.ts";

describe("an app beside Express", () => {
  let server: Server;
  before(async () => {
    server = oldApplication().listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => server.close());

  const ask = async (method: string, path: string, accept = "*/*") => {
    const { port } = server.address() as AddressInfo; // it listens on a port
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { Accept: accept } });
    return { status: response.status, allow: response.headers.get("Allow"), text: await response.text() };
  };

  it("answers for its path, in the representation that the client prefers", async () => {
    assert.equal((await ask("GET", "/books/1")).text, '{"title":"Emma"}');
    assert.equal((await ask("GET", "/books/1", "text/plain")).text, "Emma");
  });

  it("refuses for its path", async () => {
    assert.equal((await ask("GET", "/books/2")).status, 404);
    assert.equal((await ask("GET", "/books/1", "image/png")).status, 406);
    const { status, allow } = await ask("DELETE", "/books/1");
    assert.deepEqual([status, allow], [405, "GET, HEAD, OPTIONS"]);
  });

  it("leaves all else to Express", async () => {
    assert.equal((await ask("GET", "/")).text, "The old application");
    assert.match((await ask("GET", "/other")).text, /Cannot GET \/other/);
  });
});
