import { join } from "node:path";
import { describe } from "node:test";
import { readPage } from "./page.ts";
import { itStartsWhatItSays } from "./started-page.ts";

describe("docs/getting-started.md", () => {
  itStartsWhatItSays(readPage(join(import.meta.dirname, "getting-started.md")));
});
