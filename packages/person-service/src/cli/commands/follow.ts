import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setTimeout as elapse } from "node:timers/promises";
import { NewFile } from "@waymark/collection";
import { quote } from "waymark/internal";
import { matching } from "../settings/option.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";
import { type CommandStreams, isPrinted } from "../terminal/streams.ts";
import type { Command } from "./command.ts";

/** The most attempts of a command that does not wait for changes. */
const attemptsOnce = 5;

/** Writes what changes in a running service. */
export const followCommand: Command = {
  about: "Writes the people of a running service, and then each change, as NDJSON to standard output.",
  notes: [
    'Each changed person comes once, in the latest state, or as {"id":7,"removed":true}.',
    "With --cursor it goes on where it stopped: a change comes twice only where the command was killed before it stored the cursor.",
  ],
  examples: [
    ["person-service follow http://localhost:8080/person --cursor people.cursor", "all people, then what changes"],
    ["person-service follow http://localhost:8080/person --once | wc -l", "what there is now"],
  ],
  operands: ["URL"],
  options: {
    cursor: { value: "FILE", about: "the file that keeps the place; without it, the command begins with all people" },
    "key-file": { value: "FILE", about: "the file with the API key" },
    fields: { value: "NAMES", about: "the members to write besides the id, separated by commas" },
    once: {
      about: `ends when there are no more changes, or after ${attemptsOnce} attempts to reach the service, instead of waiting`,
    },
    "longest-pause": {
      value: "SECONDS",
      type: matching("a number of seconds", (text) => /^(?:[0-9]+|[0-9]*\.[0-9]+)$/.test(text)),
      about: "the longest pause between attempts while the service cannot be reached",
      default: "30",
    },
  },
  async run(given, io) {
    const [operand = ""] = given.operands;
    const [cursorFile, keyFile, fields] = ["cursor", "key-file", "fields"].map((name) => given.value(name));
    const url = changesUrl(operand);
    if (fields !== undefined) url.searchParams.set("fields", fields);
    const isOnce = given.has("once");
    const key = keyFile === undefined ? undefined : await readKey(keyFile);
    if (cursorFile !== undefined) await store(cursorFile);
    const isAgain = cursorFile !== undefined && existsSync(cursorFile);
    const before = isAgain ? (await readText(cursorFile)).trim() : "";
    const headers = new Headers({ Accept: "application/x-ndjson" });
    if (key !== undefined) headers.set("Authorization", `Bearer ${key}`);
    if (!isOnce) headers.set("Prefer", "wait=30");
    const attempts = isOnce ? attemptsOnce : Number.POSITIVE_INFINITY;
    const longestPause = 1000 * Number(given.value("longest-pause"));
    for (let cursor = before; ; ) {
      const { lines, next } = await readChanges({ url, headers, attempts }, cursor, longestPause, io);
      if (lines !== "") {
        io.print(lines.trimEnd());
        if (!(await isPrinted())) return;
      }
      if (next !== cursor && cursorFile !== undefined) await store(cursorFile, `${next}\n`);
      if (isOnce && lines === "") return;
      cursor = next;
    }
  },
};

/** Returns the URL of the changes of the collection at a URL, which may have it already; of the people where that has no path. */
function changesUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(`${quote(text)} is not the URL of people, such as http://localhost:8080/person`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new CommandError(
      `The URL at ${quote(url.host)} has credentials, which are not used: name the file of a key by --key-file`,
    );
  }
  const path = url.pathname.replace(/(?:\/changes)?\/?$/, "") || "/person";
  url.pathname = `${path}/changes`;
  url.search = "";
  url.hash = "";
  return url;
}

interface ReadChanges {
  /** NDJSON. */
  readonly lines: string;
  /** The cursor behind them. */
  readonly next: string;
}

/** Where changes are read. */
interface ChangesSource {
  readonly url: URL;
  readonly headers: Headers;
  /** The most attempts for an answer. */
  readonly attempts: number;
}

/**
 * Reads changes from a service, and waits for it while it cannot be reached.
 *
 * @param longestPause between attempts, in milliseconds
 * @throws CommandError (rejects) when the service refuses, so that another attempt would not help, and after the last attempt
 */
async function readChanges(
  source: ChangesSource,
  cursor: string,
  longestPause: number,
  { printNote }: Pick<CommandStreams, "printNote">,
): Promise<ReadChanges> {
  for (let failures = 1; ; failures++) {
    const outcome = await attempt(source, cursor);
    if (!("reason" in outcome)) return outcome;
    if (failures >= source.attempts) throw new CommandError(`${outcome.reason}, after ${failures} attempts`);
    if (failures === 1) printNote(`${outcome.reason}; trying again`);
    const grown = 500 * 2 ** failures * (0.5 + Math.random() / 2);
    await elapse(Math.min(Math.max(grown, outcome.retryAfter * 1000), longestPause));
  }
}

async function attempt({ url: changes, headers }: ChangesSource, cursor: string): Promise<ReadChanges | Failure> {
  const url = new URL(changes);
  if (cursor !== "") url.searchParams.set("after", cursor);
  try {
    const signal = AbortSignal.timeout(patience);
    const response = await fetch(url, { headers, signal, redirect: "manual" });
    const text = await response.text();
    if (response.status === 429 || response.status >= 500) {
      const retryAfter = Number(response.headers.get("Retry-After") ?? 0) || 0;
      return { reason: `${url.origin} answers ${response.status}`, retryAfter };
    }
    const next = /<[^>]*[?&]after=([\w-]+)[^>]*>; rel="next"/.exec(response.headers.get("Link") ?? "")?.[1];
    if (response.status !== 200 || next === undefined) throw refused(url, response.status, text);
    return { lines: text, next };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return { reason: `${url.origin} cannot be reached (${causeOf(error)})`, retryAfter: 0 };
  }
}

/** Returns a code such as `ECONNREFUSED`, or else a message; Node's `fetch` has the error with the code as the cause of its own. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.message;
}

/** An attempt that may succeed later. */
interface Failure {
  readonly reason: string;
  /** In seconds. */
  readonly retryAfter: number;
}

/** In milliseconds, for an answer: longer than the service holds one. */
const patience = 90_000;

function refused(url: URL, status: number, text: string): CommandError {
  const what = `${url.origin}${url.pathname} answers ${status}`;
  if (status === 410) {
    return new CommandError(
      `${what}: changes before the cursor are lost. Remove the file of the cursor and the copy, and begin again`,
    );
  }
  const { type, detail } = problemIn(text);
  const hint = status === 401 ? "; name the file of a key by --key-file" : "";
  const ofFile = String(type).endsWith("/invalid-cursor") ? " It is that of --cursor: name another file" : "";
  return new CommandError(`${what}${typeof detail === "string" ? `: ${detail}` : ""}${hint}${ofFile}`);
}

function problemIn(text: string): { readonly type?: unknown; readonly detail?: unknown } {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {}; // it is no problem document
  }
}

async function readKey(file: string): Promise<string> {
  const key = (await readText(file)).trim();
  if (/^[!-~]+$/.test(key)) return key;
  throw new CommandError(`The file ${quote(file)} of --key-file must have an API key, and nothing else`);
}

const readText = (file: string): Promise<string> => withFile(file, "read", () => readFile(file, "utf8"));

/** Puts a text in place of a file; without a text, only finds out whether that can be done. */
const store = (file: string, text?: string): Promise<void> =>
  withFile(file, "written", async () => {
    await using output = await NewFile.open(file, { replace: true });
    if (text === undefined) return;
    await output.handle.writeFile(text);
    await output.finish();
  });
