import { ChangeNote, changeNote } from "@waymark/collection/internal";
import { around, type Filter, type HttpRequest } from "waymark";
import { caller, requestId } from "waymark/filters";
import { lineBudget } from "./line-budget.ts";
import type { Log } from "./log.ts";

/**
 * Makes the filter that logs who changed what: an event for each request that has changed people, and for each that was refused.
 * Belongs inside the access filter, which finds the caller. Of refused ones there are at most 20 lines a second; the next line says
 * how many were left out.
 *
 * ```text
 * {"level":"info","time":"…","event":"change","id":"0b8f…","caller":"key:hr","client":"192.0.2.1","method":"DELETE","path":"/person/123","status":200,"removed":1,"ids":[123]}
 * ```
 */
export function changeLog(log: Pick<Log, "write">, now: () => number = Date.now): Filter {
  const ofRefusals = lineBudget(20, now);

  const write = (request: HttpRequest, note: ChangeNote, status: number): void => {
    const isRefused = note.isEmpty && status >= 400;
    if (note.isEmpty && !isRefused) return;
    const omitted = isRefused ? ofRefusals() : 0;
    if (omitted === undefined) return;
    const { created, changed, removed, ids } = note;
    const counts = Object.entries({ created, changed, removed }).filter(([, count]) => count > 0);
    log.write("info", isRefused ? "change-refused" : "change", undefined, {
      id: request.attribute(requestId),
      caller: request.attribute(caller)?.id.slice(0, longestText),
      client: request.client.address,
      method: request.method,
      path: request.path.slice(0, longestText),
      status,
      ...Object.fromEntries(counts),
      ...(ids.length > 0 && { ids }),
      ...(omitted > 0 && { omitted }),
    });
  };

  return around(
    async (request, next) => {
      if (!changing.has(request.method) || !isOfPeople.test(request.path)) return next(request);
      const note = new ChangeNote();
      try {
        const response = await next(request.withAttribute(changeNote, note));
        write(request, note, response.status);
        return response;
      } catch (error) {
        write(request, note, 500);
        throw error;
      }
    },
    { exceptMethods: new Set(["GET", "HEAD", "OPTIONS", "QUERY"]) },
  );
}

/** Of a method that nobody knows there is nothing to say. */
const changing: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const isOfPeople = /^\/person(?:\/|$)/;

/** In characters: the subject of a token may be as long as the token. */
const longestText = 200;
