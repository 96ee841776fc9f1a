import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { fileFault } from "../../src/file-fault.ts";

const folder = openFolder("file-fault");

/** Returns what the function throws. */
function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return assert.fail("It throws nothing");
}

describe("the fault of a file", () => {
  it("is what the system says in words", () => {
    assert.equal(fileFault(thrownBy(() => readFileSync(folder.path("missing")))), "it does not exist");
    assert.equal(fileFault(thrownBy(() => readFileSync(folder.root))), "it is a directory");
  });

  it("is not an error of a database, which has a code, too", () => {
    const error = thrownBy(() => new DatabaseSync(":memory:").exec("SELECT * FROM missing"));
    assert.equal((error as NodeJS.ErrnoException).code, "ERR_SQLITE_ERROR");
    assert.equal(fileFault(error), undefined);
  });
});
