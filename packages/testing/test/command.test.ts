import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { runCommand } from "../src/cli/command.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "../bin/waymark.js");

const source = `
import { accept, GET, group, POST, router, text } from "waymark";
export const app = router(group("/books", GET(accept("text/plain"), () => text("x")), POST(() => text("x"))));
export default 7;
export const later = Promise.resolve(app);
if (process.argv[1]?.endsWith("waymark.js")) setInterval(() => undefined, 1000);
`;

describe("the command waymark", () => {
  const folder = openFolder("command");
  before(async () => {
    await symlink(join(import.meta.dirname, "../../../node_modules"), folder.path("node_modules"));
    folder.write("app.ts", source);
    folder.write("old.json", '{"openapi":"3.0.3","paths":{}}');
    folder.write("broken.ts", "export const app = nothing;\n");
  });

  /** Runs the program itself. */
  const waymark = async (...args: readonly string[]) => {
    const started = run(process.execPath, [program, ...args], { cwd: folder.root });
    const { code = 0, stdout, stderr } = await started.catch((error) => error);
    return { code, stdout, stderr };
  };

  /** Runs a command in this process; its files are those of the folder. */
  const runHere = (...args: readonly string[]) =>
    runCommand(args.map((arg) => (/\.(?:ts|json)$/.test(arg) ? folder.path(arg) : arg)));

  it("lists the routes of an app, whatever its module has started", async () => {
    const { code, stdout } = await waymark("routes", "app.ts");
    assert.equal(code, 0);
    assert.equal(stdout, "GET   /books\n        answers text/plain\nPOST  /books\n");
    assert.equal(`${(await runHere("routes", "app.ts", "--export", "later")).text}\n`, stdout);
  });

  it("explains a request, and what the router answers", async () => {
    const { text } = await runHere("explain", "app.ts", "DELETE /books");
    assert.match(text, /^DELETE \/books → status 405\n {2}GET \/books +wants method GET, found DELETE\n/);
    assert.match(text, /\n\n405 Method Not Allowed\nAllow: GET, HEAD, POST, OPTIONS\n/);
    const refused = await runHere("explain", "app.ts", "GET /books", "-H", "Accept: image/png");
    assert.match(refused.text, /\n\n406 Not Acceptable\n/);
    assert.match((await runHere("explain", "app.ts", "GET /books")).text, /^GET \/books → GET \/books\n/);
  });

  it("ends with what is wrong on standard error", async () => {
    const { code, stdout, stderr } = await waymark("rotes", "app.ts");
    assert.deepEqual([code, stdout, stderr], [2, "", 'waymark: There is no command "rotes".\nSee "waymark --help".\n']);
  });

  it("prints the document", async () => {
    const { text } = await runHere("openapi", "app.ts", "--title", "Books", "--version", "2.0.0");
    const { info, paths } = JSON.parse(text);
    assert.deepEqual([info, Object.keys(paths["/books"])], [{ title: "Books", version: "2.0.0" }, ["get", "post"]]);
  });

  it("holds the app to the document that clients have, in Markdown, with a code for a change", async () => {
    const document = (await runHere("openapi", "app.ts")).text;
    folder.write("before.json", document);
    const same = await runHere("contract", "app.ts", "--published", "before.json");
    assert.deepEqual([same.code, same.text], [0, "2 operations are answered as declared"]);
    folder.write("after.json", document.replace('"post"', '"put"'));
    const changed = await waymark("contract", "app.ts", "--published", "after.json");
    assert.equal(changed.code, 1);
    assert.match(
      changed.stdout,
      /^2 operations, 1 change\n\n### PUT \/books breaks\n\n- a valid request\n {2}```sh\n {2}curl -i -X PUT /,
    );
    const tolerated = await runHere("contract", "app.ts", "--published", "after.json", "--fail-on", "opens");
    assert.deepEqual([tolerated.code, `${tolerated.text}\n`], [0, changed.stdout]);
  });

  for (const [args, code, said] of [
    [[], 2, /^waymark: Usage: waymark routes FILE\n/],
    [["rotes", "app.ts"], 2, /^waymark: There is no command "rotes"\.\nSee "waymark --help"\.\n$/],
    [["routes"], 2, /^waymark: routes needs the FILE of an app\.\n/],
    [["routes", "app.ts", "x"], 2, /^waymark: routes takes FILE\.\n/],
    [["contract", "app.ts", "--published", "none.json"], 2, /^waymark: There is no file none\.json\.\n/],
    [["contract", "app.ts", "--published", "app.ts"], 2, /^waymark: app\.ts is cut, or not JSON: /],
    [
      ["contract", "app.ts", "--published", "old.json"],
      2,
      /^waymark: The published document is of OpenAPI 3\.0\.3, and not /,
    ],
    [
      ["contract", "app.ts", "--fail-on", "all"],
      2,
      /^waymark: --fail-on takes breaks, opens, or both with a comma, not "all"/,
    ],
    [["explain", "app.ts"], 2, /^waymark: explain takes FILE and "METHOD PATH"\.\n/],
    [["explain", "app.ts", "GET"], 2, /^waymark: "GET" is not a method and a path, such as "GET \/books\/1"\.\n/],
    [["explain", "app.ts", "GET /%zz"], 2, /^waymark: \/%zz cannot be the path of a request: The path has /],
    [["explain", "app.ts", "GET /", "-H", "Accept"], 2, /^waymark: "Accept" is not a header field, such as /],
    [["routes", "app.ts", "--exprt", "x"], 2, /^waymark: Unknown option '--exprt'/],
    [["routes", "none.ts"], 1, /^waymark: There is no file none\.ts\n$/],
    [["routes", "broken.ts"], 1, /^waymark: broken\.ts cannot be loaded: ReferenceError: nothing is not defined\n/],
    [
      ["routes", "app.ts", "--export", "ap"],
      1,
      /^waymark: app\.ts has no export "ap": it exports app, default, later\n$/,
    ],
    [["routes", "app.ts", "--export", "default"], 1, /^waymark: The export "default" of app\.ts is not an app, /],
  ] as const) {
    it(`says what is wrong: waymark ${args.join(" ")}`, async () => {
      const { code: found, text } = await runHere(...args);
      assert.equal(found, code);
      assert.match(`waymark: ${text.replace(/^waymark: /, "")}\n`.replaceAll(`${folder.root}/`, ""), said);
    });
  }
});
