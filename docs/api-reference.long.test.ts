import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";

const script = fileURLToPath(new URL("../scripts/api-reference.ts", import.meta.url));

const entryPoints = [
  "waymark",
  "waymark/routing",
  "waymark/filters",
  "waymark/openapi",
  "waymark/content",
  "waymark/fields",
  "@waymark/node",
  "@waymark/testing",
  "@waymark/collection",
  "@waymark/person-service",
] as const;

describe("npm run api-reference", () => {
  const { root: folder } = openFolder("api-reference");
  const pages = new Map<string, string>();
  before(async () => {
    // It fails where an export has no doc comment.
    await promisify(execFile)(process.execPath, [script, folder]);
    for (const file of await readdir(folder)) pages.set(file, await readFile(join(folder, file), "utf8"));
  });
  it("writes a page for each entry point, which the first page names", () => {
    const files = entryPoints.map((name) => `${name.replaceAll("/", ".")}.md`);
    // What belongs to a function or a type has a page, which that of its entry point names.
    const linked = files.flatMap((file) => {
      const targets = Array.from(
        (pages.get(file) ?? "").matchAll(/\]\(([^)#\s]*\.Namespace\.\w+\.md)\)/g),
        ([, target = ""]) => target,
      );
      return targets.filter((target) => target.startsWith(file.replace(/md$/, "Namespace.")));
    });
    assert.deepEqual([...pages.keys()].toSorted(), [...new Set(["README.md", ...files, ...linked])].toSorted());
    for (const [i, name] of entryPoints.entries()) {
      assert.match(pages.get("README.md") ?? "", new RegExp(`^- \\[${name}\\]\\(${files[i]}\\)$`, "m"));
    }
  });

  for (const name of entryPoints) {
    it(`has everything that ${name} exports`, async () => {
      const file = name.replaceAll("/", ".");
      const page = pages.get(`${file}.md`) ?? "";
      const titles = new Set(Array.from(page.matchAll(/^## (\w+)/gm), ([, title]) => title));
      // A module that is exported as a whole has a page of its own.
      const isThere = (exported: string): boolean =>
        titles.has(exported) || pages.has(`${file}.Namespace.${exported}.md`);
      const lacking = Object.keys(await import(name)).filter((exported) => !isThere(exported));
      assert.deepEqual(lacking, []);
    });
  }

  it("has no link that leads nowhere", () => {
    const anchors = new Map(Array.from(pages, ([file, text]) => [file, anchorsOf(text)]));
    const broken = Array.from(pages, ([file, text]) =>
      Array.from(text.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g), ([whole, target, anchor]) => {
        const found = anchors.get(target === "" ? file : (target ?? ""));
        return /^https?:/.test(target ?? "") || (found !== undefined && (anchor === undefined || found.has(anchor)))
          ? []
          : [`${file}: ${whole}`];
      }).flat(),
    ).flat();
    assert.deepEqual(broken, []);
  });
});

/** What a link into a page can name: its headings, as GitHub and GitLab name them, and the anchors that stand in it. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set(Array.from(page.matchAll(/<a id="([^"]+)">/g), ([, id = ""]) => id));
  const seen = new Map<string, number>();
  for (const [, heading = ""] of page.matchAll(/^#+ (.*)$/gm)) {
    const name = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-");
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    anchors.add(count === 0 ? name : `${name}-${count}`);
  }
  return anchors;
}
