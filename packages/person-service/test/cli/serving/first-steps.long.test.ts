import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { missing } from "../../../../waymark/test/tools/missing-programs.ts";
import { type ServiceProcess, startService } from "../../tools/programs/service-process.ts";

const run = promisify(execFile);

const folder = openFolder("first-steps");
const fixture = (name: "cert" | "key"): string =>
  fileURLToPath(new URL(`../../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

/** Runs the command that the service suggests, as a new user would, and returns the status of the answer. */
async function statusOfHint({ printed }: ServiceProcess): Promise<string> {
  const [, command] = /^try: (curl .*)$/m.exec(printed) ?? [];
  const { stdout } = await run("sh", ["-c", `${command} --silent --output /dev/null --write-out '%{http_code}'`]);
  return stdout;
}

describe("what the first lines of a service suggest", { skip: missing("curl") }, () => {
  const database = folder.path("person.db");

  it("stores a person in an empty database", async () => {
    await using service = await startService("--database", database);
    assert.equal(await statusOfHint(service), "200");
    assert.match(await (await fetch(`${service.url}/person`)).text(), /^\[\{"id":1,[^{]*\}\]$/);
  });

  it("reads that person, with what HTTPS by a certificate of one's own needs", async () => {
    for (const host of ["127.0.0.1", "127.0.0.2"]) {
      const tls = ["--tls-cert", fixture("cert"), "--tls-key", fixture("key")];
      await using service = await startService("--database", database, "--host", host, ...tls);
      assert.equal(await statusOfHint(service), "200", service.printed);
    }
  });

  it("is open to everybody under an access file; so is health", async () => {
    const access = folder.write("access.json", {
      rules: [{ path: "/person/**", scopes: ["person:read"] }],
    });
    await using service = await startService("--database", database, "--access", access);
    assert.equal(await statusOfHint(service), "200", service.printed);
    for (const path of ["/health/live", "/health/ready"]) {
      assert.equal((await fetch(service.url + path)).status, 200, path);
    }
    for (const path of ["/health/x", "/person"]) {
      assert.equal((await fetch(service.url + path)).status, 401, path);
    }
  });
});
