import { spawn } from "node:child_process";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { serve } from "@waymark/node";
import { content, route, router } from "waymark";
import type { Suite } from "../suite.ts";

/** Sends requests, whole, malformed and in parts, to a server that echoes their content. */
export const h1spec: Suite = {
  name: "h1spec",
  subject: "HTTP/1.1",
  tries: "an app that echoes content",
  source: {
    kind: "repository",
    url: "https://github.com/uNetworking/h1spec",
    commit: "f0a5650a20c575fbea0f7179a3a9cfa50f20ba6e",
  },
  async run(folder) {
    const echo = router(route("/{*rest}", async (request) => content("text/plain", await request.bytes())));
    const server = await serve(echo);
    try {
      const program = join(import.meta.dirname, "../on-deno.ts");
      const args = [program, pathToFileURL(join(folder, "http_test.ts")).href, "127.0.0.1", String(server.port)];
      const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
      const output = (await Promise.all([textOf(child.stdout), textOf(child.stderr)])).join("\n");
      return Array.from(output.matchAll(/^(✅|❌) ([^:]+): (.*)$/gm), ([, mark, name = "", said]) => {
        return { name, fault: mark === "✅" ? undefined : said };
      });
    } finally {
      await server.close({ grace: 0 });
    }
  },
};
