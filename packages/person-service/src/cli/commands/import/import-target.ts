import { readFile } from "node:fs/promises";
import { type ClientRequest, request as sendOverHttp } from "node:http";
import { request as sendOverHttps } from "node:https";
import { userInfo } from "node:os";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { openDatabase } from "@waymark/collection";
import { kindOf, type MatchRules } from "@waymark/collection/internal";
import { around, HttpRequest } from "waymark";
import { caller } from "waymark/filters";
import { changeLog } from "../../../log/changes.ts";
import { openLog } from "../../../log/log.ts";
import { personCollectionOf } from "../../../person/collection.ts";
import type { MemberList } from "../../../person/members/member-list.ts";
import { openPersonService } from "../../../service.ts";
import type { DateReader } from "../../../transfer/dates.ts";
import type { GivenCharset } from "../../../transfer/source-file.ts";
import { membersIn } from "../../settings/settings.ts";
import { CommandError, withFile } from "../../terminal/command-error.ts";
import type { Invocation } from "../command.ts";
import { refuseForgotten } from "../moving.ts";

/** What the options of an import give. */
export interface ImportValues extends MatchRules {
  readonly format: string | undefined;
  readonly charset: GivenCharset | undefined;
  readonly map: readonly string[];
  readonly date: DateReader | undefined;
  readonly upsert: string | undefined;
  /** The most people to remove, or `all`. */
  readonly removeMissing: string | undefined;
  readonly dryRun: boolean;
  readonly rejects: string | undefined;
  readonly server: string | undefined;
  readonly keyFile: string | undefined;
  readonly database: string;
  readonly databaseFile: string | undefined;
  readonly members: MemberList | undefined;
  readonly config: string | undefined;
}

export type ImportInvocation = Invocation<ImportValues>;

/** What a service answers to a file. */
export interface ImportAnswer {
  readonly status: number;
  readonly isRepeated: boolean;
  /** The content, as a text. */
  readonly content: string;
}

/** Where a file is sent. */
export interface ImportTarget extends AsyncDisposable {
  send(
    target: string,
    content: AsyncIterable<Uint8Array>,
    headers: Readonly<Record<string, string>>,
  ): Promise<ImportAnswer>;
}

/** Opens the service over a database, in this process. Of a dry run, a database that is missing is an empty one. */
export async function targetHere(values: ImportValues): Promise<ImportTarget> {
  const { dryRun: isDryRun, upsert, database: address } = values;
  const members = membersIn(values);
  const isMissing = isDryRun && kindOf(address).isMissing(address);
  const database = await openDatabase(isMissing ? ":memory:" : address, {
    collections: [personCollectionOf(members)],
    onForgotten: refuseForgotten,
    // People of a list that is brought up to date are looked up by an index, even in a file that is new.
    lateIndexes: !isDryRun && upsert === undefined,
  });
  const log = openLog();
  const user = { id: `system:${nameOfUser()}`, scopes: [] };
  const asUser = around((request, next) => next(request.withAttribute(caller, user)));
  // Nobody waits for this process, and the file is the user's own.
  const bulk = {
    maxBytes: most,
    maxTime: most,
    maxRefused: most,
    maxListed: values.rejects === undefined ? 1000 : 100_000,
  };
  const { app } = await openPersonService({ database, members, bulk, filters: [asUser, changeLog(log)] });
  let isWhole = false;
  return {
    async send(target, body, headers) {
      const sent = HttpRequest.of({ method: "POST", target, headers }).withContent(headers["Content-Type"] ?? "", body);
      const answer = await app.handle(sent);
      isWhole = answer.status === 200;
      const isRepeated = answer.headers.get("Idempotency-Replayed") === "true";
      return { status: answer.status, isRepeated, content: String(answer.body ?? "") };
    },
    async [Symbol.asyncDispose]() {
      try {
        if (isWhole) await database.makeIndexes();
      } finally {
        await database.close();
        log.flush();
      }
    },
  };
}

/** Returns the number of a user without a name, whom a container may have. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** What to do where an import broke off. */
export const howToContinue = "To go on, run the same command again within 24 hours, with the same file.";

const most = Number.MAX_SAFE_INTEGER;

/** Sends to a service by its URL. It is sent by `node:http`, since an answer may take longer than `fetch` waits. */
export function targetOnServer({ server = "", keyFile }: ImportValues): ImportTarget {
  return {
    async send(target, content, headers) {
      const key = keyFile && (await withFile(keyFile, "read", () => readFile(keyFile, "utf8"), "--key-file"));
      const url = new URL(server.replace(/\/$/, "") + target);
      const options = {
        method: "POST",
        headers: { ...headers, ...(key && { Authorization: `Bearer ${key.trim()}` }) },
      };
      const sending: ClientRequest =
        url.protocol === "https:" ? sendOverHttps(url, options) : sendOverHttp(url, options);
      const answering = new Promise<ImportAnswer>((resolve, reject) => {
        sending.on("error", reject).on("response", (response) => {
          const isRepeated = response.headers["idempotency-replayed"] === "true";
          text(response).then(
            (said) => resolve({ status: response.statusCode ?? 0, isRepeated, content: said }),
            reject,
          );
        });
      });
      try {
        // A server that refuses the file answers before it has all of it.
        const [answer] = await Promise.all([
          answering,
          pipeline(Readable.from(content), sending).catch(() => undefined),
        ]);
        return answer;
      } catch (cause) {
        throw new CommandError(`${server} cannot be reached: ${(cause as Error).message}. ${howToContinue}`, { cause });
      }
    },
    async [Symbol.asyncDispose]() {},
  };
}
