import { HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { CallerShares, callerKey } from "../caller-shares.ts";
import type { BulkSettings } from "../limits.ts";
import { refuseBusy } from "./report.ts";

/**
 * Bounds the number of bulk requests in progress and the bytes that they keep on disk, for each caller and for all together: a
 * few slow clients cannot keep the others out.
 */
export class BulkAdmission {
  readonly #limits: BulkSettings;
  readonly #requests: CallerShares;
  readonly #bytes: CallerShares;

  constructor(limits: BulkSettings) {
    this.#limits = limits;
    this.#requests = new CallerShares({ ofCaller: limits.maxAtOncePerCaller, ofAll: limits.maxAtOnce });
    this.#bytes = new CallerShares({ ofCaller: limits.maxSpoolBytesPerCaller, ofAll: limits.maxSpoolBytes });
  }

  /** @throws HttpError 503 when too many bulk requests are in progress */
  admit(request: HttpRequest<unknown>): AdmittedBulk {
    const key = callerKey(request);
    const exceeded = this.#requests.exceededBy(key, 1);
    if (exceeded !== undefined) throw new HttpError(refuseBusy(exceeded));
    this.#requests.add(key, 1);
    let spooled = 0;
    return {
      spool: (bytes) => {
        if (spooled + bytes > this.#limits.maxSpoolBytesPerCaller) throw tooLarge(this.#limits.maxSpoolBytesPerCaller);
        const full = this.#bytes.exceededBy(key, bytes);
        if (full !== undefined) throw new HttpError(refuseBusy(full));
        this.#bytes.add(key, bytes);
        spooled += bytes;
      },
      end: () => {
        this.#requests.add(key, -1);
        this.#bytes.add(key, -spooled);
      },
    };
  }
}

/** A bulk request in progress. */
export interface AdmittedBulk {
  /**
   * Counts bytes before they are written to disk.
   *
   * @throws HttpError 413 when the request has more than one caller may keep; 503 when other requests leave no room
   */
  spool(bytes: number): void;
  /** Frees the request's share. Must be called once, when the request is answered. */
  end(): void;
}

function tooLarge(limit: number): HttpError {
  const detail = `Nothing was stored: the records come to more than ${limit.toLocaleString("en")} bytes as JSON.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }));
}
