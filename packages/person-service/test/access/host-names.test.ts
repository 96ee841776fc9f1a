import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { HttpRequest, type HttpResponse } from "waymark";
import { openPersonService } from "../../src/index.ts";

type Fields = Readonly<Record<string, string>>;

/** Returns what a service for these hosts answers to a request with a Host, for a host that a trusted proxy may name. */
function serviceFor(...hostNames: readonly string[]) {
  const opened = openPersonService({ database: ":memory:", hostNames });
  after(async () => (await opened).database.close());
  return async (line: string, Host: string, headers: Fields = {}, named = Host): Promise<HttpResponse> => {
    const [method = "", target = ""] = line.split(" ");
    const { app } = await opened;
    return app.handle(HttpRequest.of({ method, target, headers: { ...headers, Host }, client: { host: named } }));
  };
}

describe("a service for this machine only", () => {
  const send = serviceFor();

  // What a page says in Host whose own name leads to this machine, or a program that asks for it.
  for (const Host of [
    ...["evil.example", "evil.example:8080", "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.localhost"],
    ...["192.0.2.1", "0.0.0.0:8080", "[::]", "[2001:db8::1]:8080"],
  ]) {
    it(`answers 421 to a request for ${Host}`, async () => {
      for (const line of ["GET /person/1", "DELETE /person/1", "GET /nope", "POST /session", "POST /person"]) {
        const { status, headers, body } = await send(line, Host);
        assert.deepEqual([status, headers.get("Content-Type")], [421, "application/problem+json"], line);
        assert.equal(JSON.parse(String(body)).type, "/problems/misdirected-request");
      }
    });
  }

  for (const Host of [
    ...["localhost", "LocalHost:8080", "127.0.0.1", "127.0.0.53:80"],
    ...["[::1]", "[::1]:8080", "[::ffff:127.0.0.1]"],
  ]) {
    it(`is called ${Host}`, async () => assert.equal((await send("GET /person/1", Host)).status, 404));
  }

  it("answers monitors and gives out the files of the pages for any host, since they say nothing of anybody", async () => {
    const Host = "192.0.2.1:8080";
    const page = await send("GET /person", Host, { Accept: "text/html" });
    assert.equal(page.status, 421);
    const [, style = ""] = /href="(\/assets\/\w+\/style.css)"/.exec(String(page.body)) ?? [];
    for (const target of [style, "/health/live", "/health/ready"]) {
      assert.equal((await send(`GET ${target}`, Host)).status, 200, target);
    }
  });
});

describe("a service for one host behind a proxy on this machine", () => {
  const send = serviceFor("api.example.com");

  for (const [Host, forwarded, status] of [
    ["localhost", "api.example.com", 200],
    ["api.example.com", "api.example.com", 200],
    ["api.example.com", "localhost:8080", 200],
    ["localhost", "evil.example", 421],
    // A page whose own name leads to this machine can send the fields of a proxy.
    ["evil.example:8080", "localhost", 421],
    ["evil.example", "api.example.com", 421],
  ] as const) {
    it(`answers ${status} to a Host of ${Host} that is said to stand for ${forwarded}`, async () => {
      assert.equal((await send("GET /hello-world", Host, {}, forwarded)).status, status);
    });
  }
});

describe("a service for some hosts", () => {
  const send = serviceFor("Api.Example.com", "person_service", "192.0.2.1", "2001:DB8::1", "b\u00fccher.example");

  for (const [Host, status] of [
    ["api.example.com", 200],
    ["API.example.COM:8443", 200],
    ["person_service:8080", 200],
    ["192.0.2.1:80", 200],
    ["[2001:db8::1]", 200],
    ["xn--bcher-kva.example", 200],
    ["localhost:8080", 200],
    ["example.com", 421],
    ["192.0.2.2", 421],
    ["api.example.com.evil.example", 421],
  ] as const) {
    it(`answers ${status} to a request for ${Host}`, async () => {
      assert.equal((await send("GET /hello-world", Host)).status, status);
    });
  }

  for (const name of [
    ...["", "*", "*.example.com", "a:80", "[::1]:80", "http://a"],
    ...["a/b", "a b", "a@b", "a?", "..%", "[a]"],
  ]) {
    it(`is not opened for ${JSON.stringify(name)}, which is neither a name nor an address`, async () => {
      await assert.rejects(openPersonService({ database: ":memory:", hostNames: [name] }), TypeError);
    });
  }
});
