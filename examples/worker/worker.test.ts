import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { openFolder } from "../../packages/waymark/test/tools/folder.ts";
import { bundle, workerd } from "./main.ts";
import worker from "./worker.ts";

describe("a Worker", () => {
  const { root: folder } = openFolder("worker");
  const headers = { "CF-Connecting-IP": "192.0.2.7" };

  it("answers without a runtime, as a function", async () => {
    const ask = (accept: string) =>
      worker.fetch(new Request("http://localhost/hello/Ada", { headers: { ...headers, Accept: accept } }));
    assert.deepEqual(await (await ask("*/*")).json(), { hello: "Ada" });
    assert.equal(await (await ask("text/plain")).text(), "Hello, Ada");
    assert.equal((await ask("image/png")).status, 406);
  });

  it("answers on workerd", { skip: !existsSync(workerd) && "npm run runtimes installs it" }, async () => {
    await bundle(folder);
    const parameters = ["serve", "worker.capnp", "--control-fd=1", "--socket-addr=http=127.0.0.1:0"];
    const running = spawn(workerd, parameters, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const [line] = await once(createInterface(running.stdout), "line");
      const answer = await fetch(`http://127.0.0.1:${JSON.parse(line).port}/hello/Ada`, { method: "DELETE", headers });
      assert.deepEqual([answer.status, answer.headers.get("Allow")], [405, "GET, HEAD, OPTIONS"]);
    } finally {
      running.kill();
      await once(running, "exit");
    }
  });
});
