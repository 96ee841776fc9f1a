import {
  type Attribute,
  attribute,
  HttpError,
  type HttpRequest,
  type HttpResponse,
  type Next,
  type ProblemDocument,
  redirect,
} from "waymark";
import { ContentError } from "waymark/content";
import { parseMediaType } from "waymark/fields";
import { toPublicUrl } from "waymark/filters";
import { isObject } from "../../person/member-value.ts";
import type { FoundFile } from "../../transfer/people-file.ts";
import { prefersHtml } from "../frame/browser.ts";
import { readerOf } from "../frame/reader.ts";
import type { Site } from "../frame/site.ts";
import { type FileForm, mostAround, mostFields, readFileForm } from "./multipart.ts";

/** What the service says of a file: what becomes of its people, or why nothing does. */
export interface Answer extends Partial<Pick<ProblemDocument, "detail" | "status">> {
  readonly stored?: number;
  readonly updated?: number;
  readonly unchanged?: number;
  readonly skipped?: number;
  readonly refused?: number;
  readonly omitted?: number;
  readonly errors?: readonly { readonly line?: number; readonly pointer?: string; readonly detail?: string }[];
  readonly found?: Pick<FoundFile, "columns" | "dates">;
}

/** A column of a file, with the member that the service takes it for. */
export type Column = NonNullable<FoundFile["columns"]>[number];

/** What the reader of a form chooses for a file. */
export interface ImportChoices {
  /** What becomes of the people who are likely stored: a query. */
  readonly matched: string;
  /** The form of dates; empty where it is for the service to find. */
  readonly date: string;
  readonly columns: readonly Column[];
  /** The member that each column becomes; empty for one that is left out. */
  readonly members: readonly string[];
}

/** What came of a file, or would come of it. */
export interface TriedImport {
  readonly fileName: string;
  readonly choices: ImportChoices;
  readonly answer: Answer;
  readonly isStored: boolean;
}

export const triedImport: Attribute<TriedImport> = attribute("tried import");

/** The query of the page of an import; of its form where nobody is to be stored, or those who are good; and of what was stored. */
export const importQuery: RegExp = /^import(?:=(check|good|\d{1,9}))?$/;

/** The name of the field of the file, which is the last one of its form. */
export const fileField = "file";

/** Returns whether a browser sends the form of the import. */
export function isFileForm(request: HttpRequest): boolean {
  return (
    request.method === "POST" &&
    request.path === "/person" &&
    importQuery.test(request.search) &&
    prefersHtml(request) &&
    boundaryOf(request) !== undefined
  );
}

function boundaryOf({ headers }: HttpRequest): string | undefined {
  const { type, subtype, parameters } = parseMediaType(headers.get("Content-Type") ?? "") ?? {};
  const boundary = type === "multipart" && subtype === "form-data" ? parameters?.get("boundary") : undefined;
  return boundary !== undefined && /^[!-~]{1,70}$/.test(boundary) ? boundary : undefined;
}

/** Sends the file of a form on as every other client sends one, as it arrives, and makes a page of the answer. */
export async function answerFileForm(request: HttpRequest, next: Next, site: Site): Promise<HttpResponse> {
  const show = async (what: TriedImport, status: number): Promise<HttpResponse> => {
    const asked = request.withMethod("GET").withTarget(`${request.path}?import`);
    const shown = await next(asked.withAttribute(triedImport, what));
    return shown.status === 200 ? shown.withStatus(status) : shown;
  };
  const form = await readForm(request, site);
  const choices = choicesIn(form.fields, site);
  if ("refused" in form)
    return show({ fileName: "", choices, answer: form.refused, isStored: false }, form.refused.status ?? 400);
  const { fileName, file } = form;
  const [, asked] = importQuery.exec(request.search) ?? [];
  const isCheck = asked === "check";
  const query = [isCheck ? "dry-run=true" : "", choices.matched].filter((part) => part !== "").join("&");
  const sent = request
    .withTarget(query === "" ? request.path : `${request.path}?${query}`)
    .withHeader("Accept", "application/json")
    .withContent(contentType(fileName, choices), file);
  const response = await next(asked === undefined ? sent : sent.withHeader("Prefer", "handling=lenient"));
  const { status, problem } = response;
  if (status === 200) {
    const answer: Answer = JSON.parse(String(response.body)); // as the service reports it
    const { stored = 0, updated = 0, refused = 0 } = answer;
    if (isCheck || refused > 0) return show({ fileName, choices, answer, isStored: !isCheck }, 200);
    return redirect(`${toPublicUrl(request)}?import=${stored + updated}`);
  }
  if (problem === undefined || ![400, 409, 412, 413, 422].includes(status)) return response;
  return show({ fileName, choices, answer: problem, isStored: false }, status);
}

/** Returns how a file is to be read: by its name, and as was chosen for its columns and dates. */
function contentType(name: string, { date, columns, members }: ImportChoices): string {
  const map = columns.flatMap(({ name, member }, i) => {
    const chosen = members[i] ?? "";
    return chosen === "" || chosen !== member ? [`${name}=${chosen}`] : [];
  });
  const parameters = Object.entries({ name, map: map.join("\n"), date }).filter(([, value]) => value !== "");
  return `application/octet-stream${parameters.map(([each, value]) => `; ${each}="${encodeURIComponent(value.toWellFormed())}"`).join("")}`;
}

/** What of a form could be read: all before its file, or why it is refused. */
type ReadForm = FileForm | (Pick<FileForm, "fields"> & { readonly refused: Answer });

/** Reads a form up to its file; where it cannot be read, returns why. */
async function readForm(request: HttpRequest, { mostBytes }: Site): Promise<ReadForm> {
  const fields = new URLSearchParams();
  try {
    const content = request.stream({ limit: mostBytes + mostAround });
    const form = await readFileForm(content, boundaryOf(request) ?? "", fileField);
    if (form.fileName !== "") return form;
    return { fields: form.fields, refused: { detail: readerOf(request).words.import.noFile } };
  } catch (error) {
    if (error instanceof ContentError) return { fields, refused: { detail: `${error.message}.` } };
    if (error instanceof HttpError && error.response.problem !== undefined)
      return { fields, refused: error.response.problem };
    throw error;
  }
}

/**
 * What can become of the people who are likely stored: its word, and the query of the request that stores a file. The first is the
 * usual one: the same file twice stores nobody twice, unless its reader decides otherwise.
 */
export const matchQueries = [
  ["skip", "on-match=skip"],
  ["update", "on-match=update"],
  ["refuse", "on-match=refuse"],
  ["add", ""],
] as const;

/** Returns the query by which a file changes the people who have the same in a member. */
export const upsertQuery = (member: string): string => `upsert=${member}`;

function choicesIn(fields: URLSearchParams, { members }: Site): ImportChoices {
  const known = [...matchQueries.map(([, query]) => query), ...members.unique.map(upsertQuery)];
  const chosen = fields.get("_matched");
  return {
    matched: known.find((query) => query === chosen) ?? matchQueries[0][1],
    date: fields.get("_date") ?? "",
    columns: columnsIn(fields.get("_columns") ?? ""),
    members: fields.getAll("_member"),
  };
}

/** Reads the columns that a form was made for, as JSON. Returns an empty list for any other text. */
function columnsIn(text: string): readonly Column[] {
  try {
    const columns: unknown = JSON.parse(text);
    if (!Array.isArray(columns)) return [];
    return columns
      .slice(0, mostFields)
      .flatMap((each: unknown) =>
        isObject(each) ? [Object.fromEntries(columnParts.map((part) => [part, String(each[part] ?? "")]))] : [],
      ) as Column[]; // an object of these texts each
  } catch {
    return [];
  }
}

const columnParts = ["name", "member", "example"] as const;
