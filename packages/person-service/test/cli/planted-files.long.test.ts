import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { commands } from "../../src/cli/program.ts";
import { userErrorMessage } from "../../src/cli/terminal/command-error.ts";
import { run as runHere } from "../tools/programs/command-runs.ts";
import { runProgram, type ServiceProcess, startService } from "../tools/programs/service-process.ts";

const folder = openFolder("planted-files");
const [people, backup] = [folder.path("people.db"), folder.path("backup.db")];
const [good, bad] = [folder.write("good.csv", "name\nAda\n"), folder.write("bad.csv", "name,email\nAda,ada\n")];
const access = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }] });

interface WritingCommand {
  readonly args: (file: string) => readonly string[];
  /** What becomes of a file that another user has put there, empty and with mode 666. */
  readonly existing: "is replaced" | "stays" | "keeps its mode";
  /** What it leaves beside the file that it makes. */
  readonly beside?: readonly string[];
}

/** What is followed. */
let service: ServiceProcess | undefined;

/** Each command that writes a file, for each file that it writes. */
const writing: Readonly<Record<string, WritingCommand>> = {
  serve: {
    args: (file) => ["--database", file, "--port", "0"],
    existing: "keeps its mode",
    beside: ["-shm", "-wal"], // it is killed
  },
  "serve --session-key": {
    args: (file) => ["--database", ":memory:", "--port", "0", "--access", access, "--session-key", file],
    existing: "stays",
  },
  import: { args: (file) => ["import", good, "--database", file], existing: "keeps its mode" },
  "import --rejects": {
    args: (file) => ["import", bad, "--database", folder.newFile(), "--rejects", file],
    existing: "is replaced",
  },
  export: { args: (file) => ["export", "--format", "csv", file, "--database", people], existing: "is replaced" },
  copy: { args: (file) => ["copy", "--from", people, "--to", file], existing: "keeps its mode" },
  backup: { args: (file) => ["backup", file, "--database", people], existing: "stays" },
  restore: { args: (file) => ["restore", backup, "--database", file], existing: "keeps its mode" },
  "key create": {
    args: (file) => ["key", "create", "--name", "a", "--scope", "person", "--keys", file],
    existing: "stays",
  },
  "key create --out": {
    args: (file) => [
      ...["key", "create", "--name", "a", "--scope", "person"],
      ...["--keys", folder.newFile("json"), "--out", file],
    ],
    existing: "stays",
  },
};

/** They write no file, or only one that another command of the same kind has made. */
const others = [
  ...["check-config", "routes", "openapi", "resume", "drop-indexes", "webhooks"],
  ...["key revoke", "password hash"],
];

describe("files that another user of the machine has put there", {
  skip: process.platform === "win32" && "links need a privilege there",
}, () => {
  const umask = process.umask();
  before(async () => {
    process.umask(0); // the mode of a file is what the program says
    for (const args of [
      ["import", good, "--database", people],
      ["backup", backup, "--database", people],
    ]) {
      await runHere(...args);
    }
    service = await startService("--database", ":memory:", "--demo");
  });
  after(async () => {
    process.umask(umask);
    await service?.[Symbol.asyncDispose]();
  });

  let runs = 0;

  /** Runs a command in a folder of its own, beside the folder of somebody else, which must stay as it is. */
  async function run(
    { args }: WritingCommand,
    plant: (file: string, notes: string) => void,
  ): Promise<Outcome & { readonly file: string; readonly names: readonly string[] }> {
    const [shared, home] = [folder.path(`shared-${++runs}`), folder.path(`home-${runs}`)];
    for (const path of [shared, home]) mkdirSync(path);
    const [file, notes] = [join(shared, "file"), join(home, "notes")];
    writeFileSync(notes, "mine");
    writeFileSync(join(home, "empty"), "");
    plant(file, notes);
    const outcome = await outcomeOf(args(file));
    assert.deepEqual(readdirSync(home), ["empty", "notes"], outcome.said);
    assert.equal(readFileSync(notes, "utf8"), "mine", outcome.said);
    assert.equal(statSync(join(home, "empty")).size, 0, outcome.said);
    assert.equal(modeOf(notes), "666");
    return { ...outcome, file, names: readdirSync(shared).sort() };
  }

  it("are looked for with every command that writes a file", () => {
    assert.deepEqual(new Set([...Object.keys(writing).map((name) => name.split(" --")[0]), ...others]), commandNames());
  });

  for (const [name, command] of Object.entries(writing)) {
    describe(name, () => {
      it("makes a file for its owner only, and leaves no other", async () => {
        const { file, said, names } = await run(command, () => undefined);
        const beside = (command.beside ?? []).map((suffix) => `file${suffix}`);
        assert.deepEqual(names, ["file", ...beside], said);
        assert.equal(modeOf(file), "600");
      });

      for (const [what, target, reason] of [
        ["a file", "notes", /it is a symbolic link; name the file|is not an SQLite database|must have secrets of/],
        ["an empty file", "empty", /it is a symbolic link; name the file|must have secrets of/],
        ["nothing", "missing", /it is a symbolic link; name the file that it leads to$/m],
      ] as const) {
        it(`writes through no link to ${what}, and says why`, async () => {
          const { hasFailed, said, names } = await run(command, (file, notes) =>
            symlinkSync(join(notes, "..", target), file),
          );
          assert.deepEqual(names, ["file"]);
          assert.ok(hasFailed);
          assert.match(said, reason);
        });
      }

      it("writes through no second name of a file", async () => {
        await run(command, (file, notes) => linkSync(notes, file));
      });

      it("writes through no link beside the file", async () => {
        const suffixes = [".part", ".partial", ".new", ".tmp", "-journal", "-wal", "-shm"];
        await run(command, (file, notes) => {
          for (const suffix of suffixes) symlinkSync(notes, file + suffix);
        });
      });

      it(`an empty file that everybody may read ${command.existing}`, async () => {
        let inode: number | undefined;
        const { file } = await run(command, (path) => {
          writeFileSync(path, "");
          chmodSync(path, 0o666);
          inode = statSync(path).ino;
        });
        const { ino, size } = statSync(file);
        const isSame = ino === inode;
        const becomes = isSame ? (size === 0 ? "stays" : "keeps its mode") : "is replaced";
        assert.equal(becomes, command.existing);
        assert.equal(modeOf(file), isSame ? "666" : "600");
      });
    });
  }

  const isRoot = process.geteuid?.() === 0;
  it("are not written to if they are their pipes", { skip: !isRoot && "only root can give a pipe away" }, async () => {
    for (const command of Object.values(writing)) {
      if (command.existing !== "is replaced") continue;
      const { said } = await run(command, (file) => {
        execFileSync("mkfifo", [file]);
        chownSync(file, 12345, 12345);
      });
      assert.match(said, /it is a pipe of another user$/m);
    }
  });
});

interface Outcome {
  readonly hasFailed: boolean;
  readonly said: string;
}

/** Runs a command in this process; the service, which would stay, in one of its own. */
async function outcomeOf(args: readonly string[]): Promise<Outcome> {
  if (args[0]?.startsWith("--")) {
    const { code, stderr } = await runProgram(...args);
    return { hasFailed: code !== 0, said: stderr };
  }
  try {
    return { hasFailed: false, said: await runHere(...args) };
  } catch (error) {
    const said = userErrorMessage(error);
    if (said === undefined) throw error;
    return { hasFailed: true, said };
  }
}

const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

const commandNames = (): ReadonlySet<string> => new Set(commands.keys());
