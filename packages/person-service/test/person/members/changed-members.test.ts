import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { HttpRequest } from "waymark";
import { parseCommandLine } from "../../../src/cli/command-line.ts";
import { membersOf, openPersonService, type PersonServiceOptions } from "../../../src/index.ts";
import { databaseKinds, type TestDatabase } from "../../tools/databases.ts";
import { commandFiles, run } from "../../tools/programs/command-runs.ts";

const whole = {
  desk: { type: "integer" },
  team: { type: "string" },
  skills: { type: "array", items: { type: "string" } },
};
const { desk: _, ...withoutDesk } = whole;
const ada = { name: "Ada", custom: { desk: 7, team: "red", skills: ["maths"] } };

for (const kind of databaseKinds) {
  describe(`a database for other members of a service's own (${kind.name})`, () => {
    let database: TestDatabase;
    before(async () => {
      database = await kind.create();
    });
    after(() => database.remove());

    /** Opens a service with these members, and makes requests; returns the statuses and contents. */
    async function ask(
      declared: object,
      requests: readonly (readonly [method: string, target: string, body?: object])[],
      options: Partial<PersonServiceOptions> = {},
    ): Promise<readonly string[]> {
      const { app, database: opened } = await openPersonService({
        database: database.location,
        members: membersOf(declared),
        ...options,
      });
      const answers: string[] = [];
      for (const [method, target, body] of requests) {
        const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
        const headers = { Host: "localhost", "Content-Type": type };
        const bare = HttpRequest.of({ method, target, headers });
        const request = body === undefined ? bare : bare.withContent(type, JSON.stringify(body));
        const { status, body: content } = await app.handle(request);
        answers.push(`${status} ${String(content ?? "")}`.trim());
      }
      await opened.close();
      return answers;
    }

    it("keeps what people have of a member that the settings lose, and says so", async () => {
      const forgotten: string[] = [];
      const onForgotten = (collection: string, members: readonly string[]): unknown =>
        forgotten.push(`${collection} ${members.join()}`);
      assert.deepEqual(await ask(whole, [["POST", "/person", ada]], { onForgotten }), ["200"]);
      const [read = "", amended, again = "", changed, removed, last = ""] = await ask(
        withoutDesk,
        [
          ["GET", "/person/1"],
          ["PATCH", "/person/1", { custom: { team: "blue" }, jobTitle: "Countess" }],
          ["GET", "/person/1"],
          ["PATCH", "/person/1", { custom: { desk: 8 } }],
          ["PATCH", "/person/1", { custom: { team: null, skills: null } }],
          ["GET", "/person/1"],
        ],
        { onForgotten },
      );
      assert.deepEqual(forgotten, ["person custom.desk"]);
      assert.match(read, /"custom":\{"desk":7,/);
      assert.deepEqual([amended, removed], ["204", "204"]);
      assert.deepEqual(JSON.parse(again.slice(4)).custom, { team: "blue", skills: ["maths"], desk: 7 });
      assert.match(changed ?? "", /^400 .*"#\/custom\/desk"/);
      assert.deepEqual(JSON.parse(last.slice(4)).custom, { desk: 7 });
      const put = { ...JSON.parse(last.slice(4)), name: "Ada L." };
      assert.deepEqual(await ask({}, [["PUT", "/person/1", put]]), ["204"]);
      const [found = ""] = await ask(whole, [["GET", "/person?custom.desk=7"]]);
      assert.match(found, /^200 \[\{"id":1,"name":"Ada L\.".*"custom":\{"desk":7\}/);
    });

    it("is left as it is by a command that does not know its members", async () => {
      await ask(whole, [["POST", "/person", { name: "Bo", custom: { desk: 9, skills: ["C"] } }]]);
      const refusal = /custom\.desk, custom\.skills, custom\.team, and the settings do not: .* --config FILE/;
      const exporting = ["export", "-", "--format", "ndjson", "--database", database.location];
      await assert.rejects(run(...exporting), refusal);
      await assert.rejects(run("resume", "--database", database.location), refusal);
      await ask(whole, [], { onForgotten: assert.fail });
    });

    it("is compared with the settings by check-config", async () => {
      const settings = {
        desk: { type: "string", format: "date" },
        skills: { type: "array", items: { type: "string", enum: ["maths"] } },
      };
      const checking = ["check-config", "--database", database.location, "--members"];
      await ask(whole, [["POST", "/person", { name: "Cy", custom: { team: "red", skills: ["C"] } }]]);
      const unfit = "what is stored of 2 people does not fit. The first one,";
      await assert.rejects(run(...checking, JSON.stringify(settings)), {
        message:
          `custom.desk: ${unfit} number 1: must be a string, not a number\n` +
          `custom.skills: ${unfit} number 2: must be one of maths`,
      });
      const said = await run(...checking, JSON.stringify(withoutDesk));
      assert.match(said, /^custom\.desk: not in the settings, and kept of 2 people$/m);
      await ask(whole, [], { onForgotten: assert.fail });
    });
  });
}

describe("members in the file of settings", () => {
  const { write, newFile } = commandFiles("members-of-settings");

  it("are refused with the line", () => {
    const file = write("json", '{\n  "members": {\n    "team": {\n      "type": "strin"\n    }\n  }\n}');
    for (const command of [[], ["check-config"], ["import", "x.csv"], ["openapi"]]) {
      const line = parseCommandLine([...command, "--config", file]);
      assert(line.kind === "usage-error");
      assert.deepEqual(line.usageErrors, [
        `"members.team.type" in ${JSON.stringify(file)} (line 4) must be one of string, integer, number, boolean, array, not "strin"; did you mean string?`,
      ]);
    }
    const inEnvironment = parseCommandLine([], { PERSON_SERVICE_MEMBERS: "{desk}" });
    assert(inEnvironment.kind === "usage-error");
    assert.match(inEnvironment.usageErrors[0] ?? "", /^PERSON_SERVICE_MEMBERS must be an object, such as /);
  });

  it("are those of commands: columns of files, what people are found by, the document", async () => {
    const config = write("json", JSON.stringify({ database: newFile("db"), members: whole }));
    const list = write("csv", "Name,Desk,team,Skills\nAda,7,red,maths; C\nBo,seven,,\n");
    const imported = await run("import", list, "--config", config);
    assert.match(imported, /custom\.desk must be an integer, not a string\n.*stored 1 person in .*, 1 refused/s);
    const changed = write("csv", "Name,Platz\nAda,8\n");
    await run("import", changed, "--config", config, "--map", "Platz=custom.desk", "--upsert", "name");
    const file = newFile("csv");
    await run("export", file, "--config", config);
    const exported = /,custom\.desk,custom\.team,custom\.skills,.*\r\n1,Ada,.*,8,red,maths; C,/;
    assert.match(readFileSync(file, "utf8"), exported);
    for (const option of [
      ["--upsert", "custom.dsk"],
      ["--map", "Platz=custom.dsk"],
    ]) {
      const line = parseCommandLine(["import", "x.csv", "--config", config, ...option]);
      assert(line.kind === "usage-error");
      assert.match(line.usageErrors.join(), /custom\.desk/);
    }
    assert.match(await run("openapi", "--config", config), /"custom\.desk"/);
  });
});
