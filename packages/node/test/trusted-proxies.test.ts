import assert from "node:assert/strict";
import { BlockList, isIP, isIPv6 } from "node:net";
import { after, describe, it } from "node:test";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import fc from "fast-check";
import type { Client } from "../../waymark/src/exchange/exchange.ts";
import { HeaderList, parsedHeaders } from "../../waymark/src/fields/header-list.ts";
import { HttpRequest } from "../../waymark/src/request.ts";
import { json } from "../../waymark/src/response.ts";
import { tinyApp } from "../../waymark/test/tools/tiny-app.ts";
import { clientBehind } from "../src/client.ts";
import { RawConnection } from "./tools/raw-connection.ts";

const servers = new Map<string, Promise<RunningServer>>();
after(async () => {
  for (const server of servers.values()) await (await server).close({ grace: 0 });
});

/** The client as a server with these options sees it, for a request with these lines. */
async function clientOf(options: ServeOptions, lines: readonly string[], target = "/"): Promise<Client> {
  const key = JSON.stringify(options);
  const server =
    servers.get(key) ??
    serve(
      tinyApp(({ client }) => json(client)),
      options,
    );
  servers.set(key, server);
  const client = new RawConnection((await server).port).request(`GET ${target}`, ...lines);
  const { body } = await client.response();
  client.destroy();
  return JSON.parse(body);
}

/** The milliseconds that the work takes at the least. */
function leastOf(work: () => void): number {
  const times = Array.from({ length: 20 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...times);
}

const proxies = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];
const peer: Client = { address: "127.0.0.1", scheme: "http", host: "localhost" };

describe("the client of a request", () => {
  it("is the peer of the connection, not what the fields say", async () => {
    const lines = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "Forwarded: for=192.0.2.2;proto=https"];
    assert.deepEqual(await clientOf({}, lines), peer);
    assert.deepEqual(await clientOf({ trustProxy: ["192.0.2.0/24"] }, lines), peer);
  });

  it("has asked for the host of an absolute target, not for Host", async () => {
    assert.equal((await clientOf({}, [], "http://example.org:81/a")).host, "example.org:81");
  });

  it("is unknown for a request made by hand, unless it has one", () => {
    const headers = { Host: "a:80" };
    assert.deepEqual(HttpRequest.of({ headers }).client, { address: undefined, scheme: "http", host: "a:80" });
    const client = HttpRequest.of({ headers, client: { address: "192.0.2.1", scheme: "https" } }).client;
    assert.deepEqual(client, { address: "192.0.2.1", scheme: "https", host: "a:80" });
  });

  for (const [lines, expected] of [
    [[], {}],
    [["X-Forwarded-For: 192.0.2.1"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 6.6.6.6, 192.0.2.1"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 6.6.6.6, 192.0.2.1, 10.1.2.3"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 6.6.6.6, 192.0.2.1", "X-Forwarded-For: 10.1.2.3, 2001:db8:1::5"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 10.1.2.3, 10.1.2.4"], { address: "10.1.2.3" }],
    [["X-Forwarded-For: 192.0.2.1:1234"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 2001:DB8::1"], { address: "2001:db8::1" }],
    [["X-Forwarded-For: [2001:db8::1]:80"], { address: "2001:db8::1" }],
    [["X-Forwarded-For: ::ffff:192.0.2.1"], { address: "192.0.2.1" }],
    [["X-Forwarded-For: ::ffff:10.0.0.1, ::ffff:10.0.0.2"], { address: "10.0.0.1" }],
    [["X-Forwarded-For: 192.0.2.1, nonsense"], {}],
    [["X-Forwarded-For: nonsense, 10.1.2.3"], { address: "10.1.2.3" }],
    [["X-Forwarded-For: 192.0.2.1,"], {}],
    [["X-Forwarded-For: 192.0.2.1\u00a0"], {}],
    [["X-Forwarded-For: 192.0.2.999"], {}],
    [["X-Forwarded-For: unknown"], {}],
    [["X-Forwarded-Proto: https"], { scheme: "https" }],
    [["X-Forwarded-Proto: ftp"], {}],
    [["X-Forwarded-Host: example.org"], { host: "example.org" }],
    [["X-Forwarded-Host: a b"], {}],
    [["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: HTTPS"], { address: "192.0.2.1", scheme: "https" }],
    [
      ["X-Forwarded-For: 6.6.6.6, 192.0.2.1, 10.1.2.3", "X-Forwarded-Proto: http, https, http"],
      { address: "192.0.2.1", scheme: "https" },
    ],
    [
      ["X-Forwarded-For: 192.0.2.1, 10.1.2.3", "X-Forwarded-Proto: https", "X-Forwarded-Host: example.org"],
      { address: "192.0.2.1", scheme: "https", host: "example.org" },
    ],
    [["Forwarded: for=192.0.2.1;proto=https"], {}],
  ] as const) {
    it(`behind proxies that write X-Forwarded, with ${JSON.stringify(lines)}, is ${JSON.stringify(expected)}`, async () => {
      assert.deepEqual(await clientOf({ trustProxy: proxies }, lines), { ...peer, ...expected });
    });
  }

  for (const [lines, expected] of [
    [["Forwarded: for=192.0.2.1"], { address: "192.0.2.1" }],
    [["Forwarded: For=6.6.6.6, FOR=192.0.2.1;Proto=https;by=10.0.0.1"], { address: "192.0.2.1", scheme: "https" }],
    [
      ['Forwarded: for="[2001:db8::1]:4711" ; host="example.org:80"'],
      { address: "2001:db8::1", host: "example.org:80" },
    ],
    [
      ["Forwarded: for=6.6.6.6, for=192.0.2.1", "Forwarded: for=10.1.2.3;proto=https"],
      { address: "192.0.2.1", scheme: "https" },
    ],
    [["Forwarded: for=_hidden;proto=https"], { scheme: "https" }],
    [["Forwarded: for=unknown"], {}],
    [['Forwarded: for="2001:db8::1"'], { address: "2001:db8::1" }],
    [["Forwarded: for=192.0.2.1, for=10.1.2.3;for=10.1.2.4"], {}],
    [['Forwarded: for="192.0.2.9, for=192.0.2.1'], { address: "192.0.2.1" }],
    [["Forwarded: for=192.0.2.1, ;"], {}],
    [["Forwarded: for=192.0.2.1;;proto=https; , ,"], { address: "192.0.2.1", scheme: "https" }],
    [["Forwarded: for = 192.0.2.1"], {}],
    [['Forwarded: for="192\\.0.2.1"'], { address: "192.0.2.1" }],
    [["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https"], {}],
  ] as const) {
    it(`behind proxies that write Forwarded, with ${JSON.stringify(lines)}, is ${JSON.stringify(expected)}`, async () => {
      const options = { trustProxy: { proxies, fields: "Forwarded" } } as const;
      assert.deepEqual(await clientOf(options, lines), { ...peer, ...expected });
    });
  }

  it("is found behind as many proxies as a field can name, and the work grows no faster than the field", () => {
    const isTrusted = (address: string): boolean => address.startsWith("10.");
    for (const [fields, name, client, proxy] of [
      ["X-Forwarded", "X-Forwarded-For", "192.0.2.1", ",10.0.0.1"],
      ["Forwarded", "Forwarded", "for=192.0.2.1", ",for=10.0.0.1;host=a"],
      ["Forwarded", "Forwarded", "for=192.0.2.1", ',for="10.0.0.1:80";proto=https'],
    ] as const) {
      const behind = (bytes: number): (() => void) => {
        const headers = parsedHeaders([name, client + proxy.repeat(Math.floor(bytes / proxy.length))]);
        return () => {
          const { address } = clientBehind({ ...peer, address: "10.9.9.9" }, headers, fields, isTrusted);
          assert.equal(address, "192.0.2.1");
        };
      };
      const [short, long] = [leastOf(behind(2_048)), leastOf(behind(16_384))];
      assert.ok(long < 32 * Math.max(short, 0.1), `${name}: ${short} ms for 2 kB, ${long} ms for 16 kB`);
    }
  });

  it("is the peer itself where no proxy is trusted, and then the fields are not looked at", (t) => {
    const headers = HeaderList.of({ "X-Forwarded-For": "192.0.2.1", Forwarded: "for=192.0.2.1" });
    const get = t.mock.method(HeaderList.prototype, "get");
    for (const fields of ["X-Forwarded", "Forwarded"] as const) {
      assert.deepEqual(
        clientBehind(peer, headers, fields, () => false),
        peer,
      );
    }
    assert.equal(get.mock.callCount(), 0);
  });

  it("is the address that the chain of trusted proxies leads to, whatever stands before it", () => {
    const node = fc.constantFrom("192.0.2.1", "192.0.2.2", "2001:db8::1", "10.0.0.1", "10.0.0.2", "unknown", "", "_x");
    const isTrusted = (address: string): boolean => address.startsWith("10.");
    fc.assert(
      fc.property(fc.constantFrom("10.9.9.9", "192.0.2.9"), fc.array(node), fc.string(), (address, chain, junk) => {
        let expected: string = address;
        for (const named of chain.toReversed()) {
          if (!isTrusted(expected) || isIP(named) === 0) break;
          expected = named;
        }
        const before = `unknown, ${junk.replaceAll(",", "")}`;
        const quoted = chain.map((named) => `for="${isIPv6(named) ? `[${named}]` : named}"`);
        for (const [fields, name, value] of [
          ["X-Forwarded", "X-Forwarded-For", ["unknown", before, "unknown", ...chain]],
          ["Forwarded", "Forwarded", [before, "for=unknown", ...quoted]],
        ] as const) {
          const headers = parsedHeaders([name, value.join(", ")]);
          assert.equal(clientBehind({ ...peer, address }, headers, fields, isTrusted).address, expected);
        }
      }),
    );
  });
});

describe("the option trustProxy", () => {
  it("takes Node's list", async () => {
    const list = new BlockList();
    list.addAddress("127.0.0.1");
    const server = await serve(
      tinyApp(({ client }) => json(client.address)),
      { trustProxy: list },
    );
    const client = new RawConnection(server.port).request("GET /", "X-Forwarded-For: 192.0.2.1");
    assert.equal((await client.response()).body, '"192.0.2.1"');
    client.destroy();
    await server.close({ grace: 0 });
  });

  for (const proxy of [
    "10.0.0.0/33",
    "10.0.0/8",
    "::/129",
    "",
    "example.org",
    "10.0.0.0/8/8",
    "10.0.0.0/x",
    "fe80::1%eth0",
  ]) {
    it(`refuses ${JSON.stringify(proxy)}`, async () => {
      await assert.rejects(
        serve(
          tinyApp(() => json(0)),
          { trustProxy: [proxy] },
        ),
        {
          name: "RangeError",
          message: `trustProxy must list addresses or networks such as 10.0.0.0/8, not ${JSON.stringify(proxy)}`,
        },
      );
    });
  }

  it("refuses true, which other frameworks take", async () => {
    const settings = { trustProxy: true } as unknown as ServeOptions; // as of a program without types
    await assert.rejects(
      serve(
        tinyApp(() => json(0)),
        settings,
      ),
      {
        name: "TypeError",
        message: "trustProxy must be a list of addresses or networks such as 10.0.0.0/8, not boolean",
      },
    );
  });
});
