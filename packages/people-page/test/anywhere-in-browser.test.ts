import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { serve } from "@waymark/node";
import { openPersonService } from "../../person-service/src/index.ts";
import { quickHash } from "../../person-service/test/access/basic-authentication.ts";
import { shippedProxies } from "../../person-service/test/deployment/shipped-proxies.ts";
import { startService } from "../../person-service/test/tools/programs/service-process.ts";
import { findChromium, launchChromium } from "../../waymark/test/tools/chromium.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";

const executable = findChromium();
const folder = openFolder("page-anywhere");
const fixture = (name: "cert" | "key"): Buffer =>
  readFileSync(new URL(`../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

/** Serves what another server has, below a prefix, as a proxy that takes it away. */
async function proxy(prefix: string): Promise<{ readonly url: string; to(url: string): void; close(): void }> {
  let target = "";
  const server = createServer((incoming, outgoing) => {
    const { url = "", method, headers } = incoming;
    if (!url.startsWith(`${prefix}/`)) return outgoing.writeHead(404).end();
    const onward = request(target + url.slice(prefix.length), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // It listens to a port.
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    to: (url) => {
      target = url;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("the page where the service is", { skip: executable === undefined && "there is no Chromium" }, () => {
  const launched = launchChromium(executable ?? "");
  after(async () => (await launched).close());

  /** Makes a person, finds, changes and deletes them; signed in, where a name is given. */
  async function work(url: string, protocol: string, name?: string): Promise<void> {
    const context = await (await launched).newContext({ ignoreHTTPSErrors: true, locale: "en-GB" });
    const page = await context.newPage();
    const elsewhere: string[] = [];
    page.on("request", (sent) => sent.url().startsWith(`${url}/`) || elsewhere.push(sent.url()));
    await page.goto(`${url}/person`);
    if (name !== undefined) {
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Password").fill("correct");
      await page.locator("#main").getByRole("button", { name: "Sign in", exact: true }).click();
    }
    await page.getByRole("link", { name: "New person" }).first().click();
    await page.locator(".panel").getByLabel("Given name").fill("Ada");
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText("Saved.")
      .or(page.getByRole("heading", { name: "Ada" }))
      .first()
      .waitFor();
    assert.equal(page.url(), `${url}/person/1`);
    await page.getByRole("link", { name: "Edit" }).click();
    await page.locator(".panel").getByLabel("Job title").fill("Countess");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("cell", { name: "Countess" }).waitFor();
    await page.goto(`${url}/person?q=ad`);
    await page.getByRole("link", { name: "Ada" }).click();
    await page.reload();
    const [card] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Card" }).click()]);
    assert.equal(card.suggestedFilename(), "Ada.vcf");
    await page.getByRole("button", { name: "Delete" }).click();
    await page.locator(".notice").getByRole("button", { name: "Close" }).click();
    await page.goto(`${url}/person`);
    await page.getByText("Nobody is here yet").waitFor();
    const [first] = await page.evaluate<readonly string[]>(
      "performance.getEntriesByType('navigation').map((each) => each.nextHopProtocol)",
    );
    assert.equal(first, protocol);
    assert.deepEqual(elsewhere, []);
    await context.close();
  }

  it("works under a prefix", async () => {
    const front = await proxy("/office");
    const service = await openPersonService({ database: ":memory:", publicUrl: front.url });
    const server = await serve(service.app);
    front.to(server.url);
    await work(front.url, "http/1.1");
    front.close();
    await server.close({ grace: 0 });
    await service.database.close();
  });

  it("works over TLS with HTTP/2", async () => {
    const service = await openPersonService({ database: ":memory:", https: true });
    const server = await serve(service.app, { tls: { key: fixture("key"), cert: fixture("cert") } });
    await work(server.url, "h2");
    await server.close({ grace: 0 });
    await service.database.close();
  });

  for (const { name, hasTls, isInstalled, start } of shippedProxies) {
    it(`works for somebody who signs in behind ${name}`, { skip: !isInstalled && `there is no ${name}` }, async () => {
      const rules = [
        { path: "/health/**", anyone: true },
        { path: "/person/**", scopes: [] },
      ];
      const users = [{ name: "ada", password: quickHash("correct"), scopes: [] }];
      const file = folder.write(`${name}.json`, { rules, users });
      await using service = await startService(
        ...["--database", ":memory:", "--trust-proxy", "127.0.0.1", "--access", file],
      );
      const ports = await start(service.port);
      await work(hasTls ? `https://localhost:${ports.tls}` : `http://localhost:${ports.plain}`, "http/1.1", "ada");
    });
  }
});
