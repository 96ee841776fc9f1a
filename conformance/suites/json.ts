import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startService } from "../service.ts";
import type { Outcome, Suite } from "../suite.ts";

/** Files named y_ are JSON, n_ are not, and i_ may be either. Each is sent as a person, and what is JSON is refused by its members. */
export const jsonTestSuite: Suite = {
  name: "JSONTestSuite",
  subject: "JSON",
  tries: "PUT of each file to a person",
  source: {
    kind: "repository",
    url: "https://github.com/nst/JSONTestSuite",
    commit: "1ef36fa01286573e846ac449e8683f8833c5b26a",
  },
  decided: {
    "y_object_duplicated_key.json": "a member that occurs twice is refused (RFC 7493, section 2.3)",
    "y_object_duplicated_key_and_value.json": "a member that occurs twice is refused (RFC 7493, section 2.3)",
  },
  async run(folder) {
    await using service = await startService();
    const headers = { "Content-Type": "application/json" };
    await service.send("POST", "/person", headers, '{"name":"Ada"}');
    const files = join(folder, "test_parsing");
    const outcomes: Outcome[] = [];
    for (const name of (await readdir(files)).toSorted()) {
      const content = new Uint8Array(await readFile(join(files, name)));
      const { status, code } = await service.send("PUT", "/person/1", headers, content);
      const isRead = code === "invalid-content";
      const isMalformed = code === "malformed-content";
      const isExpected = name.startsWith("y_") ? isRead : name.startsWith("n_") ? isMalformed : isRead || isMalformed;
      outcomes.push({ name, fault: isExpected ? undefined : `${status} ${code ?? ""}` });
    }
    return outcomes;
  },
};
