import assert from "node:assert/strict";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { runProgram, startService } from "../tools/programs/service-process.ts";

const folder = openFolder("person-service-tls");

const fixture = (name: "cert" | "key"): URL =>
  new URL(`../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url);

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is answered to a GET; who answers need not be trusted. */
async function get(url: string, headers: IncomingHttpHeaders = {}): Promise<Answer> {
  const options: RequestOptions & { readonly rejectUnauthorized: boolean } = {
    headers,
    agent: false,
    rejectUnauthorized: false,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = url.startsWith("https:") ? httpsRequest(url, options) : httpRequest(url, options);
    request.once("response", resolve).once("error", reject).end();
  });
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe("--tls-cert and --tls-key", () => {
  const [cert, key] = [folder.path("cert.pem"), folder.path("key.pem")];
  const options = ["--database", ":memory:", "--tls-cert", cert, "--tls-key", key];
  const copyFixtures = (): void => {
    copyFileSync(fixture("cert"), cert);
    copyFileSync(fixture("key"), key);
  };

  it("make the service speak HTTPS and keep browsers to it, and are read again on SIGHUP", async () => {
    copyFixtures();
    await using service = await startService(...options);
    assert.match(service.url, /^https:/);
    const answer = await get(`${service.url}/hello-world`);
    assert.deepEqual([answer.status, answer.body], [200, "Hello World"]);
    assert.equal(answer.headers["strict-transport-security"], "max-age=31536000");

    const logged = service.untilPrinted(/a client speaks HTTP to the port for HTTPS/);
    const plain = await get(`${service.url.replace("https:", "http:")}/hello-world`);
    assert.deepEqual([plain.status, plain.body], [400, "This port takes HTTPS: begin the address with https://\n"]);
    await logged;

    const kept = service.untilPrinted(/the certificate stays as it was/);
    writeFileSync(key, "no key");
    service.kill("SIGHUP");
    await kept;
    assert.equal((await get(`${service.url}/hello-world`)).status, 200);
    const taken = service.untilPrinted(/read the certificate again/);
    copyFixtures();
    service.kill("SIGHUP");
    await taken;
    assert.equal((await get(`${service.url}/hello-world`)).status, 200);
    service.kill("SIGTERM");
    const { code, log } = await service.exited;
    assert.equal(code, 0);
    const failed = log.find(({ event }) => event === "reload-failed");
    assert.match(String(failed?.msg), /^".*cert\.pem" and ".*key\.pem" must be a certificate and its key/);
  });

  it("are refused in one line when they cannot be read or used", async () => {
    for (const [make, reason] of [
      [() => writeFileSync(cert, "no certificate"), /must be a certificate and its key/],
      [() => rmSync(cert), /The file ".*cert\.pem" of --tls-cert cannot be read: it does not exist\n/],
    ] as const) {
      copyFixtures();
      make();
      const { code, stdout, stderr } = await runProgram("--port", "0", ...options);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, /^person-service: [^\n]+\n$/);
      assert.match(stderr, reason);
    }
  });
});

describe("--trust-proxy", () => {
  const forwarded = { "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https" };

  it("believes the proxy about the address of the client and about HTTPS", async () => {
    const limits = ["--rate-limit", "1/3600"];
    await using service = await startService("--database", ":memory:", "--trust-proxy", "127.0.0.0/8", ...limits);
    const url = `${service.url}/hello-world`;
    const answers = [await get(url, forwarded), await get(url, forwarded), await get(url)];
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers["strict-transport-security"] !== undefined]),
      [
        [200, true],
        [429, true],
        [200, false],
      ],
    );
  });

  it("is needed for that", async () => {
    await using service = await startService("--database", ":memory:");
    const { headers } = await get(`${service.url}/hello-world`, forwarded);
    assert.equal(headers["strict-transport-security"], undefined);
  });
});
