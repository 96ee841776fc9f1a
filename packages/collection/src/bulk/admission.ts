import { HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { wording } from "waymark/internal";
import type { BulkSettings } from "../limits.ts";
import type { CollectionSettings } from "../settings.ts";
import { CallerShares, callerKey } from "../shares/caller-shares.ts";
import { refuseBusy } from "./report.ts";
import { Spool } from "./spool/spool.ts";

/** Admits a bulk request. Throws HttpError 503 when too many are in progress. */
export type BulkAdmission = (request: HttpRequest<unknown>) => AdmittedBulk;

/**
 * Bounds the number of bulk requests in progress and the bytes that they keep on disk, for each caller and for all together: a
 * few slow clients cannot keep the others out.
 */
export function bulkAdmission(limits: BulkSettings): BulkAdmission {
  const requests = new CallerShares({ ofCaller: limits.maxAtOncePerCaller, ofAll: limits.maxAtOnce });
  const bytes = new CallerShares({ ofCaller: limits.maxSpoolBytesPerCaller, ofAll: limits.maxSpoolBytes });
  return (request) => {
    const key = callerKey(request);
    const exceeded = requests.exceededBy(key, 1);
    if (exceeded !== undefined) throw new HttpError(refuseBusy(exceeded));
    requests.add(key, 1);
    const spools: Spool[] = [];
    let spooled = 0;
    const count = (more: number): void => {
      if (spooled + more > limits.maxSpoolBytesPerCaller) throw tooLarge(limits.maxSpoolBytesPerCaller);
      const full = bytes.exceededBy(key, more);
      if (full !== undefined) throw new HttpError(refuseBusy(full));
      bytes.add(key, more);
      spooled += more;
    };
    return {
      async openSpool() {
        const spool = await Spool.open(count);
        spools.push(spool);
        return spool;
      },
      async end() {
        requests.add(key, -1);
        bytes.add(key, -spooled);
        await Promise.all(spools.map((spool) => spool.close()));
      },
    };
  };
}

/** A bulk request in progress. */
export interface AdmittedBulk {
  /**
   * Opens a spool, whose writes reject with HttpError 413 when the request has more on disk than one caller may keep, and 503 when
   * other requests leave no room.
   */
  openSpool(): Promise<Spool>;
  /** Frees the request's share, and its spools. Must be called once, when the request is answered. */
  end(): Promise<void>;
}

/** @throws HttpError 403 where the caller of a request for the collection may not make this change to the record */
export function requireRight(
  { mayChange }: CollectionSettings,
  request: HttpRequest<unknown>,
  method: "PATCH" | "DELETE",
  id: number,
): void {
  if (mayChange(request, method, `${request.path}/${id}`)) return;
  const verb = method === "PATCH" ? "change" : "remove";
  const detail = `Nothing was changed: the request would ${verb} the record ${id}, for which these credentials have no right.`;
  throw new HttpError(problem(problemTypes.forbidden, { detail }));
}

function tooLarge(limit: number): HttpError {
  const detail = `Nothing was stored: the records come to more than ${wording.withCommas(limit)} bytes as JSON.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }));
}
