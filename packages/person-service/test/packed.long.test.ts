import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, watch } from "node:fs";
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { installPacked, linkPackage, packageNames } from "../../../scripts/install-packed.ts";
import { packAll } from "../../waymark/test/package/packed.ts";
import { nextOutput } from "../../waymark/test/tools/child-process.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { assertServesPage } from "./tools/page-assets.ts";
import { startServiceOf } from "./tools/programs/service-process.ts";

// The three packages as npm gets them: packed by the commands of the README, and unpacked beside each other.

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const json = { "Content-Type": "application/json" };

describe("the packed packages", () => {
  const { root: folder } = openFolder("person-service-packed");

  before(async () => installPacked(folder, await packAll()));

  const read = (name: string, file: string) => readFile(join(folder, "node_modules", name, file), "utf8");

  for (const name of packageNames) {
    it(`${name} says what it is, under which licence, and where it comes from`, async () => {
      const manifest = JSON.parse(await read(name, "package.json"));
      const { repository, homepage } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      assert.equal(manifest.name, name);
      assert.notEqual(manifest.description, undefined);
      assert.ok(manifest.keywords.length >= 5, String(manifest.keywords));
      assert.equal(await read(name, "LICENSE"), await readFile(join(root, "LICENSE"), "utf8"));
      // The address of the repository is named in one place, once there is one.
      assert.equal(manifest.repository?.url, repository?.url);
      assert.equal(manifest.homepage, homepage);
    });

    it(`${name} has a README without links that only the repository can follow`, async () => {
      const links = [...(await read(name, "README.md")).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
      assert.deepEqual(
        links.filter((link) => !/^(https:|#)/.test(link)),
        [],
      );
    });
  }

  describe("with what they depend on", () => {
    it("@waymark/person-service brings the command person-service", async () => {
      const { stdout } = await run(process.execPath, [await command(), "--version"], { cwd: folder });
      assert.equal(stdout, "person-service 0.1.0\n");
    });

    it("the command serves the demo, and stores in a file", async () => {
      const options = ["--demo", "--database", join(folder, "person.db")];
      await using service = await startServiceOf([process.execPath, await command()], ...options);
      const { url } = service;
      const { headers } = await fetch(`${url}/person`, { method: "POST", body: '{"name":"Ada"}', headers: json });
      assert.equal(headers.get("Location"), "/person/538");
      await assertServesPage(url);
    });

    it("the command starts from one file, without the modules of Node.js that few need, and keeps its compiled code", async () => {
      const program = join(folder, "node_modules/@waymark/person-service/program");
      const source = await readFile(join(program, "main.cjs"), "utf8");
      // V8 keeps a file with other characters in two bytes a character.
      assert.match(source, /^[\0-\x7f]*$/);
      const cache = join(program, "../.compile-cache");
      await rm(cache, { recursive: true, force: true });
      await mkdir(cache);
      const watcher = watch(cache);
      const kept = new Promise<void>((resolve) => {
        watcher.on("change", (_event, file) => String(file).endsWith(".v8") && resolve());
      });
      const lists = join(folder, "lists.mjs");
      await writeFile(lists, 'process.once("SIGTERM", () => console.log(process.moduleLoadList.join()));');
      const first = [process.execPath, "--import", lists, await command()];
      await using service = await startServiceOf(first, "--database", ":memory:");
      await kept;
      watcher.close();
      service.kill("SIGTERM");
      const { stdout } = await service.exited;
      assert.match(stdout, /NativeModule net\b/);
      assert.doesNotMatch(stdout, /NativeModule (?:http|http2|tls|internal\/deps\/undici\/undici)\b/);
      const [name = ""] = (await readdir(cache)).filter((file) => file.endsWith(".v8"));
      const bytes = await readFile(join(cache, name));
      for (const found of [bytes, Buffer.from(bytes).fill(0xff, 100_000, 200_000), bytes.subarray(0, 3)]) {
        await writeFile(join(cache, name), found);
        await using again = await startServiceOf([process.execPath, await command()], "--database", ":memory:");
        assert.equal((await fetch(`${again.url}/hello-world`)).status, 200);
      }
      // As what another user has kept for itself, it cannot be read, also where the tests run as root.
      await rm(join(cache, name));
      await mkdir(join(cache, name));
      await using unread = await startServiceOf([process.execPath, await command()], "--database", ":memory:");
      assert.equal((await fetch(`${unread.url}/hello-world`)).status, 200);
    });

    it("the command serves over TLS, with metrics and access, which it loads on demand", async () => {
      const fixture = (name: string) => join(root, `packages/node/test/fixtures/self-signed-for-tests.${name}.pem`);
      const access = join(folder, "access.json");
      await writeFile(access, JSON.stringify({ rules: [{ path: "/**", anyone: true }] }));
      const tls = ["--tls-cert", fixture("cert"), "--tls-key", fixture("key")];
      const options = [...tls, "--admin", "0", "--access", access, "--database", ":memory:"];
      await using service = await startServiceOf([process.execPath, await command()], ...options);
      const [answer] = await once(
        request(`${service.url}/hello-world`, { rejectUnauthorized: false }).end(),
        "response",
      );
      assert.equal(answer.statusCode, 200);
      assert.match(service.printed, /^metrics on http/m);
    });

    it("the command takes less than 90 MB of memory once it answers", async (t) => {
      await using service = await startServiceOf([process.execPath, await command()], "--database", ":memory:");
      assert.equal((await fetch(`${service.url}/hello-world`)).status, 200);
      const status = `/proc/${service.pid}/status`;
      if (!existsSync(status)) return t.skip("only Linux shows the memory of a process in /proc");
      const resident = Number(/^VmRSS:\s+(\d+) kB$/m.exec(await readFile(status, "utf8"))?.[1]) / 1024;
      assert.ok(resident < 90, `${resident} MB are resident`);
    });

    it("the command shows metrics, and is traced where the file for traces that is shipped starts an SDK", async () => {
      for (const name of ["@opentelemetry/api", "@opentelemetry/sdk-trace-base"]) await linkPackage(folder, name);
      // In the place of the SDK of OpenTelemetry, which has 50 MB.
      const sdk = `
        import { trace } from "@opentelemetry/api";
        import { BasicTracerProvider, BatchSpanProcessor, ConsoleSpanExporter } from "@opentelemetry/sdk-trace-base";
        const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(new ConsoleSpanExporter())] });
        export class NodeSDK {
          start = () => trace.setGlobalTracerProvider(provider);
          async shutdown() {
            await provider.shutdown();
            throw new Error("The collector is away");
          }
        }
      `;
      const place = join(folder, "node_modules/@opentelemetry/sdk-node");
      await mkdir(place);
      await writeFile(join(place, "package.json"), '{ "type": "module", "exports": "./index.js" }');
      await writeFile(join(place, "index.js"), sdk);
      const file = join(folder, "instrumentation.mjs");
      await copyFile(new URL("../../../deploy/instrumentation.mjs", import.meta.url), file);
      const program = [process.execPath, "--import", pathToFileURL(file).href, await command()];
      await using service = await startServiceOf(program, "--admin", "0", "--database", ":memory:");
      const admin = /^metrics on (\S+)$/m.exec(service.printed)?.[1] ?? assert.fail(service.printed);
      assert.match(await (await fetch(admin)).text(), /^process_resident_memory_bytes \d/m);
      assert.equal((await fetch(`${service.url}/hello-world`)).status, 200);
      service.kill("SIGTERM");
      const { code, stdout, stderr } = await service.exited;
      assert.match(stdout, /name: 'GET \/hello-world'/);
      assert.match(stderr, /^The last spans are lost: Error: The collector is away$/m);
      assert.equal(code, 0);
    });

    it("the command names the packages that are part of it", async () => {
      assert.match(await read("@waymark/person-service", "program/THIRD-PARTY-NOTICES.txt"), /^pino \d/m);
    });

    it("@waymark/person-service is a library, too", async () => {
      const program = `
        import { openPersonService } from "@waymark/person-service";
        const { app, database } = await openPersonService({ database: ":memory:" });
        console.log((await app.fetch(new Request("http://localhost/person"))).status);
        await database.close();
      `;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder });
      assert.equal(stdout, "200\n");
    });
  });

  /** Returns the file of the command. */
  async function command(): Promise<string> {
    const { bin } = JSON.parse(await read("@waymark/person-service", "package.json"));
    assert.deepEqual(Object.keys(bin), ["person-service"]);
    return join(folder, "node_modules/@waymark/person-service", bin["person-service"]);
  }
});

it("the image of deploy/Dockerfile has all that the program needs, and is healthy", async () => {
  // The steps of the second stage; the first one is what built the packages above.
  const dockerfile = await readFile(join(root, "deploy/Dockerfile"), "utf8");
  const image = await mkdtemp(join(tmpdir(), "person-service-image-"));
  for (const [, sources = "", target = ""] of dockerfile.matchAll(/^COPY --from=build (.+) (\S+)$/gm)) {
    for (const source of sources.split(" ")) {
      const path = source.replace(/^\/app\//, "");
      await cp(join(root, path), join(image, target.endsWith("/") ? basename(path) : target), { recursive: true });
    }
  }
  const [, entry = ""]: readonly string[] = JSON.parse(/^ENTRYPOINT (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  const [, ...check] = JSON.parse(/^ {2}CMD (.*)$/m.exec(dockerfile)?.[1] ?? "[]");
  const env = {
    PERSON_SERVICE_PORT: "0",
    PERSON_SERVICE_ADMIN: "0",
    PERSON_SERVICE_LOG: "off",
  };
  // The last folder of the image is its root, with the volume in it.
  assert.equal(dockerfile.match(/^WORKDIR .*$/gm)?.at(-1), "WORKDIR /");
  const main = join(image, entry.replace(/^\/app\//, ""));
  const program = spawn(process.execPath, [main], { cwd: image, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const printed = await nextOutput(program);
    const port = /metrics on http:\/\/127\.0\.0\.1:(\d+)/.exec(printed)?.[1] ?? "";
    await run(
      process.execPath,
      check.map((word: string) => word.replace(":9090", `:${port}`)),
    );
    assert.ok(existsSync(join(image, "data/person.db")));
  } finally {
    program.kill("SIGTERM");
    await once(program, "exit");
    await rm(image, { recursive: true });
  }
});

it("a README in a checkout has its links again once it is packed", async () => {
  const readme = await readFile(join(root, "packages/waymark/README.md"), "utf8");
  assert.match(readme, /\]\(\.\.\/\.\.\/docs\/README\.md\)/);
});
