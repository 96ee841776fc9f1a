import { type AnswersData, isNone, isProblemType } from "../answers.ts";
import { joinBytes } from "../content/coding.ts";
import { toPointer } from "../content/standard-schema.ts";
import { parseMediaType } from "../fields/media-type.ts";
import { isSchema } from "../input/parameters.ts";
import { problemPath } from "../problem.ts";
import { problemTypes } from "../problem-types.ts";
import { type HttpResponse, isStreamed } from "../response.ts";
import { openBody } from "../response-body.ts";

/**
 * Returns what compares the responses of a handler with those that its route declares. Streams are read to their end, and then
 * sent. Only JSON and plain text are validated; of other content the status is compared.
 *
 * @throws TypeError (rejects) that says what differs, and where the answers are declared
 */
export function compileAnswerCheck({ byStatus, site }: AnswersData): (response: HttpResponse) => Promise<HttpResponse> {
  const fail = (what: string): never => {
    throw new TypeError(`A handler answered ${what} (its answers are declared at ${site})`);
  };
  const known = new Set(
    [...Object.values(problemTypes), ...Object.values(byStatus).filter(isProblemType)].map(problemPath),
  );
  return async (response) => {
    const { status, problem } = response;
    if (problem !== undefined && known.has(problem.type)) return response;
    const answer = byStatus[status] ?? fail(`${status}, and declares ${Object.keys(byStatus).join(", ")}`);
    const whole = await inWhole(response);
    const { body } = whole;
    const isEmpty = body === null || body === "" || (body instanceof Uint8Array && body.byteLength === 0);
    if (isNone(answer)) return isEmpty ? whole : fail(`${status} with content, and declares none`);
    if (!isSchema(answer)) return fail(`${status} with something else than the problem that it declares`);
    if (isEmpty) return fail(`${status} without content, and declares some`);
    const decoded = decode(whole);
    if (decoded === undefined) return whole;
    if ("fault" in decoded) return fail(`${status} with content that is not JSON: ${decoded.fault}`);
    const { issues } = await answer["~standard"].validate(decoded.value);
    if (issues === undefined) return whole;
    const listed = issues.map(({ message, path }) => `${toPointer(path)} ${message}`).join("; ");
    return fail(`${status} with content that breaks its schema: ${listed}`);
  };
}

/** The response with its body in one piece. */
async function inWhole(response: HttpResponse): Promise<HttpResponse> {
  const { body, headers } = response;
  if (!isStreamed(body)) return response;
  const source = openBody(body, headers);
  const pieces: Uint8Array[] = [];
  for (let step = await source.next(); step.done !== true; step = await source.next()) {
    pieces.push(typeof step.value === "string" ? new TextEncoder().encode(step.value) : step.value);
  }
  return response.withBody(joinBytes(pieces));
}

/** The value of JSON or plain text; undefined for content of another type. */
function decode({ body, headers }: HttpResponse): { readonly value: unknown } | { readonly fault: string } | undefined {
  const { type, subtype = "" } = parseMediaType(headers.get("Content-Type") ?? "") ?? {};
  const isJson = subtype === "json" || subtype.endsWith("+json");
  if (!isJson && `${type}/${subtype}` !== "text/plain") return undefined;
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
  if (!isJson) return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: String(error) };
  }
}
