import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { missing } from "../../../../waymark/test/tools/missing-programs.ts";
import { type ServiceProcess, startService, startServiceBy } from "../../tools/programs/service-process.ts";

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

describe("the first lines of a service", { skip: missing("curl") }, () => {
  const database = folder.path("person.db");

  it("suggest a command that stores a person in an empty database", async () => {
    await using service = await startService("--database", database);
    assert.match(service.printed, /\(0 people\)\nempty: .*--demo/);
    assert.equal(await statusOfHint(service), "200");
    assert.match(await (await fetch(`${service.url}/person`)).text(), /^\[\{"id":1,[^{]*\}\]$/);
  });

  it("suggest a person that there is, with what HTTPS by a certificate of one's own needs", async () => {
    for (const host of ["127.0.0.1", "127.0.0.2"]) {
      const tls = ["--tls-cert", fixture("cert"), "--tls-key", fixture("key")];
      await using service = await startService("--database", database, "--host", host, ...tls);
      assert.match(service.printed, /\(1 person\)\ntry: curl --cacert .*\/person\/1\n/);
      assert.equal(await statusOfHint(service), "200", service.printed);
    }
  });

  it("under an access file suggest what everybody may see, and how to send credentials; health is open", async () => {
    const access = folder.write("access.json", {
      rules: [{ path: "/person/**", scopes: ["person:read"] }],
      users: [
        {
          name: "ada",
          password: "$scrypt$ln=15,r=8,p=3$feXx04O6Jh5+DGXDa3FxCA$wAwsqY6weE0GcV9K53CWu9FCQ3TTxYum2Ytdi/+3thM",
          scopes: ["person:read"],
        },
      ],
    });
    await using service = await startService("--database", database, "--access", access);
    assert.match(
      service.printed,
      /\naccess: 1 rule, 0 keys, 1 user \(.*access\.json\)\nwith credentials: curl --user ada /,
    );
    assert.equal(await statusOfHint(service), "200", service.printed);
    for (const path of ["/health/live", "/health/ready"]) {
      assert.equal((await fetch(service.url + path)).status, 200, path);
    }
    for (const path of ["/health/x", "/person"]) {
      assert.equal((await fetch(service.url + path)).status, 401, path);
    }
  });

  it("name the variable of the hosting platform that gave the database, and warn where nobody reaches the port", async () => {
    const variables = `PORT=0 DATABASE_URL='${database}'`;
    // Without the --port that is given to every service of the tests.
    const shell = ["sh", "-c", `node=$0; program=$1; shift 3; ${variables} exec "$node" "$program" "$@"`];
    await using service = await startServiceBy(shell);
    assert.match(service.printed, /^listening on .*\ndatabase: .*person\.db \(1 person\), from DATABASE_URL\ntry: /);
    service.kill("SIGTERM");
    const { log } = await service.exited;
    assert.deepEqual(
      log.filter(({ level }) => level === "warn").map(({ event, msg }) => [event, msg]),
      [
        [
          "loopback",
          'the port 0 is from PORT, and only this machine can reach "127.0.0.1": on a hosting platform, give --host 0.0.0.0 and --access FILE',
        ],
      ],
    );
  });
});
