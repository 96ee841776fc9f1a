import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { deployed, deployedYaml } from "./deployed.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
}

const objects = deployedYaml("kubernetes.yaml") as readonly KubernetesObject[];

/** Returns all values of a member, wherever it is. */
function valuesOf(name: string, value: unknown): readonly unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key === name ? [member] : []),
    ...valuesOf(name, member),
  ]);
}

const ofKind = (kind: string): KubernetesObject => {
  const found = objects.find((object) => object.kind === kind);
  assert(found !== undefined, kind);
  return found;
};

describe("deploy/kubernetes.yaml", () => {
  const folder = openFolder("kubernetes");

  it("has objects as Kubernetes has them", async () => {
    symlinkSync(join(root, "node_modules"), folder.path("node_modules"));
    const declarations = objects.map((object, i) => {
      const { apiVersion, kind } = object;
      const [group = "", version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
      const type = `import("kubernetes-types/${group.replace(/\..*/, "")}/${version}").${kind}`;
      return `export const object${i}: ${type} = ${JSON.stringify(object, null, 2)};\n`;
    });
    assert(declarations.length > 3);
    folder.write("objects.ts", declarations.join(""));
    folder.write("tsconfig.json", {
      compilerOptions: { strict: true, noEmit: true, module: "preserve", skipLibCheck: true, types: [] },
      files: ["objects.ts"],
    });
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, "--project", folder.root]).catch(
      (error) => error,
    );
    assert.equal(stdout, "");
  });

  it("has what must stay secret in a Secret, for all instances", () => {
    assert.deepEqual(valuesOf("configMap", objects), []);
    const mounted = valuesOf("items", objects).flat() as readonly { readonly path: string }[];
    const [args] = valuesOf("args", objects) as readonly [readonly string[]];
    assert.deepEqual(
      args.map((argument) => argument.replace(/^.*\//, "")),
      mounted.map(({ path }) => path),
    );
    assert.ok(args.some((argument) => argument.startsWith("--session-key=")));
    assert.ok(!deployed("kubernetes.yaml").includes("kind: Secret"));
  });

  it("lets the scraper only to the metrics, by a policy for the pods of the deployment", () => {
    const policy = ofKind("NetworkPolicy");
    const [rules] = valuesOf("ingress", policy) as readonly [
      readonly { readonly ports: readonly { readonly port: string }[]; readonly from?: unknown }[],
    ];
    const toMetrics = rules.filter(({ ports }) => ports.some(({ port }) => port === "admin"));
    assert.equal(toMetrics.length, 1);
    assert.deepEqual(valuesOf("app.kubernetes.io/name", toMetrics[0]?.from), ["prometheus"]);
    assert.ok(rules.every(({ ports }) => ports.length > 0));
    const [labels] = valuesOf("labels", valuesOf("template", ofKind("Deployment")));
    for (const kind of ["NetworkPolicy", "PodDisruptionBudget", "Deployment"]) {
      assert.deepEqual(valuesOf("matchLabels", ofKind(kind))[0], labels, kind);
    }
    assert.deepEqual(valuesOf("selector", ofKind("Service")), [labels]);
  });

  it("has more memory than the bounds for all clients together, and a process without load", () => {
    const [limit] = valuesOf("memory", valuesOf("limits", objects));
    const gibibytes = Number(/^(\d+)Gi$/.exec(String(limit))?.[1]);
    const page = readFileSync(join(root, "docs/access.md"), "utf8");
    const bounds = [
      "responses that wait, of all",
      "content that requests hold",
      "content that waits to be read",
      "`lists.maxHeldBytes`",
    ].map((name) => {
      const row = page.split("\n").find((line) => line.startsWith("|") && line.includes(name)) ?? "";
      return Number([...row.matchAll(/(\d+) MiB/g)].at(-1)?.[1]);
    });
    const sum = bounds.reduce((total, bound) => total + bound, 0);
    assert.ok(sum > 600 && sum + 150 < gibibytes * 1024, `${sum} MiB and a process in ${limit}`);
    assert.ok(deployed("kubernetes.yaml").includes(`which are ${sum} MiB`), String(sum));
  });
});
