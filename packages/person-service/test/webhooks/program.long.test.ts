import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { runProgram, startService, startServiceBy } from "../tools/programs/service-process.ts";
import { secretText, startReceiver } from "./receiver.ts";

const folder = openFolder("webhooks-of-a-program");
const secretFile = folder.write("secret", secretText);

const store = (url: string, name: string): Promise<Response> =>
  fetch(`${url}/person`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ name }),
  });

describe("a service with a webhook in its settings", () => {
  it("sends each person, over a restart, and lists how far it is", async () => {
    await using receiver = await startReceiver();
    const database = folder.newFile();
    const config = folder.write(
      "config.json",
      JSON.stringify({
        database,
        port: 0,
        admin: 0,
        webhooks: [
          {
            url: receiver.url,
            "secret-file": secretFile,
            from: "beginning",
            fields: ["name"],
            "allow-private-addresses": true,
          },
        ],
      }),
    );
    for (const [run, name] of ["Ada", "Grace"].entries()) {
      await using service = await startService("--config", config);
      assert.equal((await store(service.url, name)).status, 200);
      await receiver.until(({ length }) => length > run);
      service.kill("SIGTERM");
      const { code } = await service.exited;
      assert.equal(code, 0);
    }
    assert.deepEqual(
      receiver.received.map(({ type, data, isSigned }) => [type, data, isSigned]),
      [
        ["person.stored", { id: 1, name: "Ada" }, true],
        ["person.stored", { id: 2, name: "Grace" }, true],
      ],
    );
    const { stdout, code } = await runProgram("webhooks", "--database", database);
    assert.equal(code, 0);
    assert.match(stdout, /^localhost:\d+: took a message at 20\S+Z, 0 waiting, 0 given up\n$/);
  });

  it("sends everybody again after a copy, a restore and a resume: twice rather than never", async () => {
    await using receiver = await startReceiver();
    const webhook = { url: receiver.url, "secret-file": secretFile, "allow-private-addresses": true };
    const [first, second, backup, third] = Array.from({ length: 4 }, () => folder.newFile()) as [
      string,
      string,
      string,
      string,
    ];
    const done = async (...args: readonly string[]): Promise<void> => {
      const { code, stderr } = await runProgram(...args);
      assert.equal(code, 0, stderr);
    };
    const namesAfter = async (database: string, count: number, act?: (url: string) => Promise<unknown>) => {
      const before = receiver.received.length;
      await using service = await startService("--database", database, "--webhooks", JSON.stringify(webhook));
      await act?.(service.url);
      await receiver.until(({ length }) => length >= before + count);
      service.kill("SIGTERM");
      await service.exited;
      return receiver.received.slice(before).map(({ data }) => data["name"]);
    };
    assert.deepEqual(await namesAfter(first, 1, (url) => store(url, "Ada")), ["Ada"]);
    await done("import", folder.write("grace.csv", "name\nGrace\n"), "--database", first);
    await done("copy", "--from", first, "--to", second);
    assert.deepEqual((await namesAfter(second, 2)).toSorted(), ["Ada", "Grace"]);
    await done("backup", backup, "--database", second);
    await done("restore", backup, "--database", third);
    assert.deepEqual((await namesAfter(third, 2)).toSorted(), ["Ada", "Grace"]);
    await done("resume", "--database", third);
    assert.deepEqual((await namesAfter(third, 2)).toSorted(), ["Ada", "Grace"]);
  });

  it("sends over TLS where it trusts the receiver's certificate, and only there", async () => {
    const fixture = (name: "cert" | "key"): string =>
      fileURLToPath(new URL(`../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
    const certificate = { cert: readFileSync(fixture("cert")), key: readFileSync(fixture("key")) };
    await using receiver = await startReceiver(undefined, certificate);
    const webhook = {
      url: receiver.url,
      "secret-file": secretFile,
      from: "beginning",
      "allow-private-addresses": true,
    };
    const args = (): readonly string[] => ["--database", folder.newFile(), "--webhooks", JSON.stringify(webhook)];
    {
      await using service = await startService(...args());
      const reported = service.untilPrinted(/webhook-fails.*takes no messages: DEPTH_ZERO_SELF_SIGNED_CERT/);
      assert.equal((await store(service.url, "Ada")).status, 200);
      await reported;
      assert.deepEqual(receiver.received, []);
    }
    await using service = await startServiceBy(["env", `NODE_EXTRA_CA_CERTS=${fixture("cert")}`], ...args());
    assert.equal((await store(service.url, "Ada")).status, 200);
    await receiver.until(({ length }) => length === 1);
  });

  it("begins with what changes once it listens, and so behind the demo", async () => {
    await using receiver = await startReceiver();
    const webhook = { url: receiver.url, "secret-file": secretFile, "allow-private-addresses": true };
    await using service = await startService(
      ...["--demo", "--database", folder.newFile(), "--webhooks", JSON.stringify(webhook)],
    );
    assert.equal((await store(service.url, "Ada")).status, 200);
    await receiver.until(({ length }) => length > 0);
    assert.equal(receiver.received[0]?.data["name"], "Ada");
  });

  it("does not start where the secret cannot be used", async () => {
    const webhook = { url: "https://hooks.example.com/", "secret-file": folder.path("missing") };
    const { code, stderr } = await runProgram(
      "--database",
      ":memory:",
      "--port",
      "0",
      "--webhooks",
      JSON.stringify(webhook),
    );
    assert.equal(code, 1);
    assert.match(stderr, /^person-service: .*missing.*does not exist[^\n]*\n$/);
  });

  it("lists nothing without webhooks, and makes no database", async () => {
    const database = folder.newFile();
    const missing = await runProgram("webhooks", "--database", database);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /does not exist/);
    await using service = await startService("--database", database);
    const { stdout } = await runProgram("webhooks", "--database", database);
    assert.match(stdout, /^no webhooks in /);
    service.kill("SIGTERM");
    await service.exited;
  });
});
