import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applyPatch } from "../../packages/collection/src/patch/apply-patch.ts";
import { parsePatch } from "../../packages/collection/src/patch/json-patch.ts";
import type { Outcome, Suite } from "../suite.ts";

interface Case {
  readonly comment?: string;
  readonly doc: unknown;
  readonly patch?: unknown;
  readonly expected?: unknown;
  readonly error?: string;
  readonly disabled?: boolean;
}

/** Documents, patches, and what becomes of them. */
export const jsonPatchTests: Suite = {
  name: "json-patch-tests",
  subject: "JSON Patch",
  tries: "each patch on its document",
  source: {
    kind: "repository",
    url: "https://github.com/json-patch/json-patch-tests",
    commit: "2a928f9044aad35c74e2788d498bcf2c6b91adea",
  },
  async run(folder) {
    const outcomes: Outcome[] = [];
    for (const file of ["tests.json", "spec_tests.json"]) {
      const cases: readonly Case[] = JSON.parse(await readFile(join(folder, file), "utf8"));
      for (const [index, { comment, doc, patch, expected, error, disabled }] of cases.entries()) {
        if (patch === undefined || disabled === true) continue;
        const result = patched(doc, patch);
        const isExpected =
          error === undefined ? expected === undefined || isDeepStrictEqual(result, expected) : result === refused;
        const name = `${file} ${index} ${comment ?? error ?? ""}`.trim();
        outcomes.push({ name, fault: isExpected ? undefined : (JSON.stringify(result) ?? "refused") });
      }
    }
    return outcomes;
  },
};

const refused = Symbol("refused");

function patched(document: unknown, patch: unknown): unknown {
  const operations = parsePatch(patch);
  if (operations.issues !== undefined) return refused;
  const outcome = applyPatch(document, operations.value);
  return outcome.kind === "patched" ? outcome.value : refused;
}
