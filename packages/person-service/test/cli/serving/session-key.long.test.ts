import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { readSessionKey } from "../../../src/cli/serving/named-files.ts";
import { quickHash } from "../../access/basic-authentication.ts";
import { runProgram, type ServiceProcess, startService } from "../../tools/programs/service-process.ts";

describe("--session-key", () => {
  const folder = openFolder("session-key");
  const access = folder.write("access.json", {
    rules: [{ path: "/**", scopes: ["person"] }],
    users: [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }],
  });
  const file = folder.path("session.key");
  const options = ["--database", ":memory:", "--access", access, "--session-key", file];

  const signIn = async ({ url }: ServiceProcess): Promise<string> => {
    const body = JSON.stringify({ name: "ada", password: "correct" });
    const { headers } = await fetch(`${url}/session`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
    });
    return headers.get("Set-Cookie")?.split(";")[0] ?? "";
  };
  const statusFor = async ({ url }: ServiceProcess, Cookie: string): Promise<number> =>
    (await fetch(`${url}/person`, { headers: { Cookie } })).status;

  it("keeps people signed in over a restart; without it they have to sign in again", async () => {
    let cookie: string;
    {
      await using service = await startService(...options);
      cookie = await signIn(service);
      assert.equal(await statusFor(service, cookie), 200);
    }
    await using again = await startService(...options);
    assert.equal(await statusFor(again, cookie), 200);
    await using other = await startService(...options.slice(0, -2));
    assert.equal(await statusFor(other, cookie), 401);
  });

  it("may have a new secret before the old one, which opens what it has sealed", async () => {
    await using service = await startService(...options);
    const cookie = await signIn(service);
    const rotated = folder.path("rotated.key");
    writeFileSync(rotated, `${"new secret ".repeat(3)}\n${readFileSync(file, "utf8")}`);
    await using again = await startService(...options.slice(0, -1), rotated);
    assert.equal(await statusFor(again, cookie), 200);
  });

  it("is made once, for its owner only", async () => {
    const made = folder.path("made.key");
    const keys = await Promise.all([readSessionKey(made), readSessionKey(made)]);
    assert.deepEqual(keys[0], keys[1]);
    assert.equal(keys[0]?.[0]?.length, 44);
    assert.equal(statSync(made).mode & 0o777, 0o600);
    assert.equal(readFileSync(made, "utf8").length, 45);
    assert.deepEqual(
      readdirSync(folder.path(".")).filter((name) => name.includes("made.key")),
      ["made.key"],
    );
  });

  const refused = [
    [
      "a short secret",
      folder.write("other.key", { key: 1 }),
      /must have secrets of at least 32 characters, one a line/,
    ],
    ["a folder that is missing", folder.path("missing/session.key"), /cannot be made: its directory does not exist$/],
    ["a folder", folder.path("."), /cannot be read: it is a directory$/],
  ] as const;
  for (const [what, path, message] of refused) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(readSessionKey(path), message);
    });
  }

  it("needs an access file", async () => {
    const { code, stderr } = await runProgram("--session-key", file);
    assert.equal(code, 2);
    assert.match(stderr, /^person-service: --session-key needs --access FILE: without it nobody signs in\.\n/);
  });
});
