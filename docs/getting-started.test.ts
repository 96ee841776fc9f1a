import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe } from "node:test";
import { readPage } from "./page.ts";
import { itStartsWhatItSays } from "./started-page.ts";

describe("docs/getting-started.md", () => {
  itStartsWhatItSays(readPage(join(import.meta.dirname, "getting-started.md")), {
    install: (folder) => symlink(join(import.meta.dirname, "../node_modules"), join(folder, "node_modules")),
    variables: { NODE_OPTIONS: "--conditions=@waymark/source" },
  });
});
