import { HttpError, type HttpRequest, problem, problemTypes } from "waymark";
import { withCommas } from "waymark/internal";
import { CallerShares, callerKey } from "../caller-shares.ts";
import type { BulkSettings } from "../limits.ts";
import { refuseBusy } from "./report.ts";
import { Spool } from "./spool.ts";

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
    const spools: Spool[] = [];
    let spooled = 0;
    const count = (bytes: number): void => {
      if (spooled + bytes > this.#limits.maxSpoolBytesPerCaller) throw tooLarge(this.#limits.maxSpoolBytesPerCaller);
      const full = this.#bytes.exceededBy(key, bytes);
      if (full !== undefined) throw new HttpError(refuseBusy(full));
      this.#bytes.add(key, bytes);
      spooled += bytes;
    };
    return {
      async openSpool() {
        const spool = await Spool.open(count);
        spools.push(spool);
        return spool;
      },
      end: async () => {
        this.#requests.add(key, -1);
        this.#bytes.add(key, -spooled);
        await Promise.all(spools.map((spool) => spool.close()));
      },
    };
  }
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

function tooLarge(limit: number): HttpError {
  const detail = `Nothing was stored: the records come to more than ${withCommas(limit)} bytes as JSON.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }));
}
