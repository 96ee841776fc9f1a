import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { parseCommandLine } from "../../src/cli/command-line.ts";
import { variableOf } from "../../src/cli/settings/setting.ts";
import { settings } from "../../src/cli/settings/settings.ts";
import type { Environment } from "../../src/cli/settings/sources.ts";
import { deployed, deployedYaml, deployFolder } from "./deployed.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

/** The variables that the image sets. */
const image: Environment = Object.fromEntries(
  [...deployed("Dockerfile").matchAll(/\b(PERSON_SERVICE_\w+)=([^\s\\]+)/g)].map(([, name, value]) => [name, value]),
);

function assertTaken(argv: readonly string[], environment: Environment): void {
  const line = parseCommandLine(argv, environment);
  assert.equal(line.kind, "run", JSON.stringify(line));
}

describe("the files of deploy/", () => {
  const [compose] = deployedYaml("compose.yaml") as readonly [Compose];
  const [deployment] = deployedYaml("kubernetes.yaml") as readonly [Deployment];
  const [container] = deployment.spec.template.spec.containers;

  it("name only variables that the program has", () => {
    const known = new Set(Object.keys(settings).map(variableOf));
    const files = globSync("**/*", { cwd: deployFolder, withFileTypes: true }).filter((file) => file.isFile());
    const named = files.flatMap(
      (file) => readFileSync(join(file.parentPath, file.name), "utf8").match(/PERSON_SERVICE_\w+/g) ?? [],
    );
    assert(named.length > 5);
    assert.deepEqual(
      [...new Set(named)].filter((variable) => !known.has(variable)),
      [],
    );
  });

  it("start the program with settings that it takes, in a container", () => {
    assert.deepEqual(Object.keys(image).length, 2);
    const variables = container.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    assert(variables.length > 0);
    assertTaken([], { ...image, ...compose.services["person-service"].environment });
    assertTaken(container.args, { ...image, ...Object.fromEntries(variables) });
  });

  it("name one image, of the version of the package", () => {
    const [, built] = /^# docker build -f deploy\/Dockerfile -t (\S+) \.$/m.exec(deployed("Dockerfile")) ?? [];
    const named = [built, compose.services["person-service"].image, container.image];
    assert.deepEqual(named, Array(3).fill(`person-service:${version}`));
  });
});

/** What these tests read of the files. */
interface Compose {
  readonly services: { readonly "person-service": { readonly image: string; readonly environment: Environment } };
}

interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}
