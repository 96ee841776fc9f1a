import { createHash } from "node:crypto";
import { HttpError, type HttpRequest, type HttpResponse } from "waymark";
import { scopedKey } from "../handlers/idempotency-key.ts";
import { refuseReusedKey, refuseRunning } from "../handlers/refusals.ts";
import type { CollectionSettings } from "../settings.ts";
import type { Store } from "../stores/contract/store.ts";
import type { ErrorsState, LineErrors } from "./changes/line-errors.ts";
import type { Lines, Progress } from "./changes/lines.ts";

/** What is kept under the key of a list, with each of its steps. */
interface Kept {
  /** A digest of what was sent. */
  readonly fingerprint: string;
  readonly progress: Progress;
  readonly errors: ErrorsState;
  readonly found?: object | undefined;
}

/** A list that may have come before, by its `Idempotency-Key`. */
export interface Repetition {
  /** Takes the content as it arrives. */
  update(piece: Uint8Array): void;
  /**
   * Begins the changes, or goes on with those of an earlier request that broke off.
   *
   * @param answer makes the answer to a list that is done
   * @throws HttpError (rejects) 422 where the key was used for another content
   */
  begin(
    store: Store,
    errors: LineErrors,
    found: object | undefined,
    answer: (progress: Progress, found: object | undefined) => HttpResponse,
  ): Promise<Pick<Lines, "done" | "keep"> | HttpResponse>;
}

/**
 * Reads the `Idempotency-Key` of a list. Without one, or in a dry run, nothing is kept.
 *
 * @throws HttpError 400 `invalid-idempotency-key`
 */
export function repetitionOf(
  { idempotencyScope }: CollectionSettings,
  request: HttpRequest<unknown>,
  isDryRun: boolean,
): Repetition {
  const field = request.headers.get("Idempotency-Key");
  const key = field === undefined ? undefined : scopedKey(field, [request.path, idempotencyScope(request)]);
  const sum = createHash("sha256");
  const { headers, method, search } = request;
  sum.update(
    JSON.stringify([method, search, headers.get("Content-Type"), headers.get("Prefer"), headers.get("If-Match")]),
  );
  return {
    update: (piece) => sum.update(piece),
    async begin(store, errors, found, answer) {
      if (key === undefined || isDryRun) return { done: nothing };
      const fingerprint = sum.digest("base64url");
      const text = await store.kept(key);
      const before = text === undefined ? undefined : parseKept(text);
      if (text !== undefined && before?.fingerprint !== fingerprint) return refuseReusedKey();
      if (before !== undefined) errors.restore(before.errors);
      if (before?.progress.isDone)
        return answer(before.progress, before.found).withHeader("Idempotency-Replayed", "true");
      let [last, next] = [text, text];
      return {
        done: before?.progress ?? nothing,
        keep: {
          key,
          text(progress) {
            next = JSON.stringify({ fingerprint, progress, errors: errors.state, found } satisfies Kept);
            return next;
          },
          stored() {
            last = next;
          },
          async confirm() {
            if ((await store.kept(key)) !== last) throw new HttpError(refuseRunning());
          },
        },
      };
    },
  };
}

/** What a single record keeps under a key is not JSON. */
function parseKept(text: string): Kept | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const nothing: Progress = { created: 0, updated: 0, unchanged: 0, skipped: 0, removed: 0, tried: 0, isDone: false };
