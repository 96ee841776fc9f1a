import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "../../packages/node/test/http1/differential/differential.ts";
import type { Outcome, Suite } from "../suite.ts";

/** The samples of Node's own parser, in Markdown. What it refuses, and each message that it takes, is ours to agree with. */
export const llhttp: Suite = {
  name: "llhttp's samples",
  subject: "HTTP/1.1",
  tries: "the parser with each request",
  source: {
    kind: "repository",
    url: "https://github.com/nodejs/llhttp",
    commit: "01e105a30fd06e248bc8ac73c4adb34a63d4114a",
  },
  async run(folder) {
    const outcomes: Outcome[] = [];
    for (const file of globSync("test/request/*.md", { cwd: folder }).toSorted()) {
      const page = await readFile(join(folder, file), "utf8");
      for (const [, heading = "", rest = ""] of page.matchAll(/^#{2,} (.*)\n([\s\S]*?)(?=^#{2,} |$(?![\s\S]))/gm)) {
        const sample = /<!-- meta=(\{.*?\}) -->\n+```http\n([\s\S]*?)```\n+```log\n([\s\S]*?)```/.exec(rest);
        if (sample === null) continue;
        const [, meta = "", text = "", log = ""] = sample;
        const { type, skipBody } = JSON.parse(meta);
        // Our parser has no lenient modes.
        if (type !== "request" || skipBody === true) continue;
        const name = `${file.replace(/^.*\//, "")} ${heading.replaceAll("`", "")}`;
        outcomes.push({ name, fault: laxer(bytesOf(text), log) });
      }
    }
    return outcomes;
  },
};

/** In what way our parser takes more than the log of llhttp shows. */
function laxer(bytes: Buffer, log: string): string | undefined {
  const whole = log.match(/message complete/g)?.length ?? 0;
  const { messages, kept } = parse([bytes]);
  const methods = Array.from(log.matchAll(/span\[method\]="(.*)"/g), ([, method]) => method);
  const taken = messages.filter((_, i) => !kept.has(i));
  if (messages.length > whole) return `takes ${messages.length} messages, not ${whole}`;
  const other = taken.find(({ method }) => !methods.includes(method));
  return other && `reads the method ${other.method}`;
}

/** The bytes that a sample stands for: lines end in CR LF, and a backslash begins an escape. */
function bytesOf(text: string): Buffer {
  const lines = text.replace(/\n$/, "").replace(/\\\n/g, "").replaceAll("\n", "\r\n");
  const escapes: Readonly<Record<string, string>> = { r: "\r", n: "\n", t: "\t", f: "\f" };
  const unescaped = lines
    .replace(/\\([rntf])/g, (_, letter) => escapes[letter] ?? "")
    .replace(/\\x([0-9a-f]+)/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replace(/\\([0-7]{1,3})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 8)));
  return Buffer.from(unescaped, "utf8");
}
