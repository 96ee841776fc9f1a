import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../../../../../waymark/test/tools/folder.ts";
import { openPostgresDatabase, StoreOpenError } from "../../../../src/index.ts";
import { giveToServer } from "../../../tools/postgres-programs.ts";
import { type PostgresServer, startPostgres } from "../../../tools/start-postgres.ts";

const files = openFolder("postgres-tls");

function certificateFile(name: "cert" | "key"): string {
  const path = files.path(`${name}.pem`);
  copyFileSync(join(import.meta.dirname, `../../../../../node/test/fixtures/self-signed-for-tests.${name}.pem`), path);
  return path;
}

describe("a PostgreSQL server that lets nobody in without TLS", () => {
  let server: PostgresServer;
  before(async () => {
    const settings = {
      ssl: "on",
      ssl_cert_file: certificateFile("cert"),
      ssl_key_file: certificateFile("key"),
      hba_file: files.write("hba.conf", "hostssl all all all password\n"),
    };
    giveToServer(files.root, settings.ssl_cert_file, settings.ssl_key_file, settings.hba_file);
    server = await startPostgres(...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]));
  });
  after(() => server.end());

  /** The address at these places. */
  const at = (...places: readonly string[]): string => {
    const { username, password } = new URL(server.url);
    return `postgres://${username}:${password}@${places.join(",")}/postgres?sslmode=verify-full`;
  };

  const reasonFor = async (address: string): Promise<string> => {
    try {
      await (await openPostgresDatabase(address, { collections: [{ name: "person" }] })).close();
    } catch (error) {
      assert.ok(error instanceof StoreOpenError);
      return error.message.replace(/^Cannot open the database "[^"]+": /, "");
    }
    return assert.fail("it was opened");
  };

  it("says so to an address without TLS, and nothing of a password", async () => {
    assert.equal(
      await reasonFor(server.url),
      "the server does not let this user in from here, or only with TLS; add sslmode=verify-full, or allow it in its pg_hba.conf",
    );
  });

  it("is named with its certificate also behind another one that does not answer", async () => {
    const { host } = new URL(server.url);
    const untrusted = "the certificate of the server is not to be trusted; name its authority by sslrootcert";
    const away = "nothing answers there; start the server, or name another host or port";
    assert.equal(await reasonFor(at(host)), untrusted);
    assert.equal(await reasonFor(at("127.0.0.1:1", host)), `127.0.0.1:1: ${away}. ${host}: ${untrusted}`);
    assert.equal(await reasonFor(at("127.0.0.1:1", "127.0.0.1:2")), away);
  });
});
