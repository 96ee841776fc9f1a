import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { missing } from "../../../waymark/test/tools/missing-programs.ts";
import { deployed, deployFolder } from "./deployed.ts";

// docs/deployment.test.ts does what they say.

describe("the units of deploy/systemd", { skip: missing("systemd-analyze") }, () => {
  const folder = openFolder("systemd");

  it("are as systemd takes them", () => {
    const units = readdirSync(join(deployFolder, "systemd")).filter((file) => /\.(?:service|timer)$/.test(file));
    assert.equal(units.length, 3);
    const paths = units.map((unit) => {
      const text = deployed(`systemd/${unit}`).replaceAll("/opt/person-service/bin/person-service", process.execPath);
      return folder.write(unit, text);
    });
    const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", ...paths], {
      encoding: "utf8",
    });
    assert.deepEqual([stdout + stderr, status], ["", 0]);
  });
});
