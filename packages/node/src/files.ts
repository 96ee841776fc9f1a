import { statSync } from "node:fs";
import { type FileHandle, open, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { content, empty, GET, type HttpRequest, type HttpResponse, problem, problemTypes, type Route } from "waymark";
import { evaluatePreconditions, type HeaderList, notModified, validatorFields } from "waymark/fields";
import { requireOptions } from "waymark/internal";

/** How a file is sent. */
export interface FileOptions {
  /** Its media type. Default: by the extension of its name. */
  readonly type?: string;
  /** For how many seconds a cache may send it without asking. Default: 0, a cache asks each time. */
  readonly maxAge?: number;
}

/** How the files of a folder are sent. */
export interface FilesOptions extends Pick<FileOptions, "maxAge"> {
  /** The names of files that never change, such as those with a digest: a cache keeps them for a year. Default: none. */
  readonly immutable?: RegExp;
}

/**
 * Makes the route of the files of a folder: below its path each file has its name. Its root is `index.html`. Files and folders whose
 * names begin with a dot are not there, nor is what a link leads to outside of the folder.
 *
 * ```ts
 * group("/static", files(new URL("public", import.meta.url), { immutable: /\.[0-9a-f]{8}\./ }))
 * ```
 *
 * @throws TypeError when there is no such folder
 */
export function files(folder: string | URL, options: FilesOptions = {}): Route {
  requireOptions("files(…)", options, ["maxAge", "immutable"]);
  const root = folder instanceof URL ? fileURLToPath(folder) : folder;
  if (typeof root !== "string" || statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new TypeError(`files(…) takes a folder that is there, not ${JSON.stringify(root)}`);
  }
  const { immutable, maxAge = 0 } = options;
  requireSeconds("files", maxAge);
  if (immutable !== undefined && !(immutable instanceof RegExp))
    throw new TypeError(
      `files({ immutable }) is an expression for names, such as /\\.[0-9a-f]{8}\\./, not ${immutable}`,
    );
  return GET("/{*path}", async (request): Promise<HttpResponse> => {
    // The root is there with a slash, too, by which links of its page lead into the folder.
    const names = request.variables.path.join("/") === "" ? ["index.html"] : request.variables.path;
    if (!names.every(isPlain)) return missing;
    const path = await pathWithin(root, names);
    if (path === undefined) return missing;
    // Unlike `test`, a search always begins at the start of the name, also by a global expression.
    const isImmutable = immutable !== undefined && (names.at(-1) ?? "").search(immutable) >= 0;
    return send(request, path, isImmutable ? "immutable" : maxAge);
  });
}

/** Returns whether it is the name of a file in this folder, and one that is shown. */
const isPlain = (name: string): boolean => name !== "" && !name.startsWith(".") && !/[/\\\0]|^[a-z]:|:\$/i.test(name);

async function pathWithin(folder: string, names: readonly string[]): Promise<string | undefined> {
  try {
    // A link may lead anywhere: what counts is where the file really is.
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...names))]);
    return path.startsWith(root.endsWith(sep) ? root : root + sep) ? path : undefined;
  } catch (error) {
    return isMissing(error) ? undefined : Promise.reject(error);
  }
}

/**
 * Answers with a file: 200 with its type and validators, 206 with one range of it (RFC 9110 §14), 304 where the client has it, and 404
 * where there is none. The path is the program's own: none that a client sends belongs into it.
 *
 * ```ts
 * GET("/cover", (request) => sendFile(request, "covers/7.png", { maxAge: 3600 }))
 * ```
 */
export function sendFile(
  request: HttpRequest<unknown>,
  path: string | URL,
  options: FileOptions = {},
): Promise<HttpResponse> {
  requireOptions("sendFile(…)", options, ["type", "maxAge"]);
  const { maxAge = 0, type } = options;
  requireSeconds("sendFile", maxAge);
  return send(request, path instanceof URL ? fileURLToPath(path) : path, maxAge, type);
}

function requireSeconds(by: string, maxAge: number): void {
  if (Number.isSafeInteger(maxAge) && maxAge >= 0) return;
  throw new RangeError(`${by}({ maxAge }) is a whole number of seconds, 0 or more, not ${maxAge}`);
}

async function send(
  request: HttpRequest<unknown>,
  path: string,
  kept: number | "immutable",
  type: string = types[extname(path).toLowerCase()] ?? "application/octet-stream",
): Promise<HttpResponse> {
  let file: FileHandle;
  try {
    file = await open(path);
  } catch (error) {
    if (isMissing(error)) return missing;
    throw error;
  }
  let isHandedOn = false;
  try {
    const stats = await file.stat({ bigint: true });
    if (!stats.isFile()) return missing;
    const [size, lastModified] = [Number(stats.size), Number(stats.mtimeMs)];
    const tag = `"${stats.mtimeNs.toString(36)}-${stats.size.toString(36)}"`;
    const validators = validatorFields(tag, lastModified);
    const described = (response: HttpResponse): HttpResponse =>
      response
        .withHeaders(response.headers.concat(validators))
        .withHeader("Accept-Ranges", "bytes")
        .withHeader("X-Content-Type-Options", "nosniff")
        .withHeader(
          "Cache-Control",
          kept === "immutable" ? "max-age=31536000, immutable" : kept > 0 ? `max-age=${kept}` : "no-cache",
        );
    const verdict = evaluatePreconditions(request, { entityTags: [tag], lastModified });
    if (verdict === "failed") return empty(412);
    if (verdict === "not-modified") return notModified(described(content(type, null)));
    const range = rangeOf(request, size, validators);
    if (range === "unsatisfiable") return empty(416).withHeader("Content-Range", `bytes */${size}`);
    const { first, length } = range ?? { first: 0, length: size };
    const head = described(content(type, null, range === undefined ? 200 : 206)).withHeader(
      "Content-Length",
      `${length}`,
    );
    const ranged =
      range === undefined ? head : head.withHeader("Content-Range", `bytes ${first}-${first + length - 1}/${size}`);
    if (request.method === "HEAD") return ranged;
    isHandedOn = length > pieceSize;
    return ranged.withBody(isHandedOn ? piecesOf(file, first, length) : await readWhole(file, first, length));
  } finally {
    if (!isHandedOn) await file.close();
  }
}

/** Returns the one range that a GET asks for; undefined for the whole, also where several are asked for. */
function rangeOf(
  { method, headers }: HttpRequest<unknown>,
  size: number,
  validators: HeaderList,
): { readonly first: number; readonly length: number } | "unsatisfiable" | undefined {
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(headers.get("Range") ?? "") ?? [];
  if (method !== "GET" || (from === "" && to === "")) return undefined;
  // The rest of a file that has changed since belongs to another one (RFC 9110 §13.1.5).
  const ifRange = headers.get("If-Range");
  if (ifRange !== undefined && ![...validators].some(([, value]) => value === ifRange)) return undefined;
  const first = from === "" ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === "" || to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== "" && to !== "" && Number(from) > Number(to)) return undefined; // which is none
  if (first >= size || (from === "" && Number(to) === 0)) return "unsatisfiable";
  return { first, length: last - first + 1 };
}

async function readWhole(file: FileHandle, first: number, length: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(length);
  let read = 0;
  while (read < length) {
    const { bytesRead } = await file.read(buffer, read, length - read, first + read);
    if (bytesRead === 0) throw new Error("The file became shorter while it was read");
    read += bytesRead;
  }
  return buffer;
}

/** The pieces of a file, which is closed after the last, and when nobody wants more. */
function piecesOf(file: FileHandle, first: number, length: number): HttpResponse["body"] {
  let read = 0;
  const finish = async (): Promise<IteratorReturnResult<undefined>> => {
    await file.close();
    return { done: true, value: undefined };
  };
  const pieces: AsyncIterator<Uint8Array> = {
    async next() {
      if (read === length) return finish();
      try {
        const value = await readWhole(file, first + read, Math.min(pieceSize, length - read));
        read += value.length;
        return { done: false, value };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    return: finish,
  };
  return { [Symbol.asyncIterator]: () => pieces };
}

const pieceSize = 65_536;

const missing = problem(problemTypes.notFound, { detail: "There is no such file." });

const isMissing = (error: unknown): boolean =>
  ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP", "EISDIR"].includes(String((error as NodeJS.ErrnoException).code));

const types: Readonly<Record<string, string>> = {
  ".avif": "image/avif",
  ".css": "text/css; charset=utf-8",
  ".csv": "text/csv; charset=utf-8",
  ".gif": "image/gif",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".mp3": "audio/mpeg",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webm": "video/webm",
  ".webmanifest": "application/manifest+json",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".xml": "application/xml",
  ".zip": "application/zip",
};
