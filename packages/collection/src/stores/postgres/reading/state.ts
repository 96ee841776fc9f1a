import { toSelectionFault } from "../connections/fault.ts";
import type { PostgresPool } from "../connections/pool.ts";
import { querySchedule } from "../connections/query-schedule.ts";
import { lastOf, quoteName, quoteText, revisionSequence } from "../table/sql.ts";

// A statement sees the changes of the transactions that its snapshot shows. Which of them changed a collection is known from the last of
// them and those before it that still ran: two statements of which both are the same see the same records. Transaction numbers are of
// one server, so that the era of the database is part of a state.

/** Makes the expression for the state of a collection that the statement sees, as text: see `readState`. */
export function stateExpression(collection: string): string {
  const last = `greatest('0'::xid8, (SELECT max(tx) FROM ${quoteName(collection)}), (SELECT tx FROM waymark_removals
    WHERE collection = ${quoteText(collection)} ORDER BY tx DESC LIMIT 1))`;
  return `(SELECT concat_ws(' ', era, ${last}, pg_current_snapshot()) FROM waymark_era)`;
}

/** A state of a collection. */
export interface SeenState {
  /** The state as stores name it. */
  readonly name: string;
  /** The snapshot of the statement that saw it. */
  readonly snapshot: string;
}

/** Reads the text of `stateExpression`. */
export function readState(text: string | null): SeenState {
  const [era = "", last = "0", snapshot = "1:1:"] = text?.split(" ") ?? [];
  const running = runningIn(snapshot).filter((tx) => tx <= BigInt(last));
  return { name: [era.slice(0, 8), last, ...running].join("-"), snapshot };
}

/** Returns whether what a statement sees may lack changes that a state has. */
export function isBefore(snapshot: string, state: string): boolean {
  const { last, running } = partsOf(state);
  const [, end = "1"] = snapshot.split(":");
  return BigInt(end) <= last || runningIn(snapshot).some((tx) => tx <= last && !running.includes(tx));
}

function partsOf(state: string): { readonly last: bigint; readonly running: readonly bigint[] } {
  const [, last = "0", ...running] = state.split("-");
  return { last: BigInt(last), running: running.map(BigInt) };
}

const runningIn = (snapshot: string): readonly bigint[] =>
  snapshot.split(":")[2]?.split(",").filter(Boolean).map(BigInt) ?? [];

/**
 * Reads the state of a collection, and the last revision. One query answers all requests of one turn of the event loop, or those that
 * arrive while other queries run. It is sent after each of them has arrived, so each sees every change that was answered before.
 */
export function postgresState(pool: PostgresPool, collection: string): () => Promise<PresentState> {
  const schedule = querySchedule(
    () => send(),
    () => asked !== undefined,
  );
  const statement = {
    name: `waymark state of ${quoteName(collection)}`,
    text: `SELECT ${stateExpression(collection)}, ${lastOf(revisionSequence(collection))}`,
  };
  /** What the next query answers. */
  let asked: PromiseWithResolvers<PresentState> | undefined;

  const send = async (): Promise<void> => {
    const answered = asked;
    asked = undefined;
    try {
      const [[text = null, revision] = []] = await pool.read<readonly [state: string, revision: string]>(
        statement,
        toSelectionFault,
      );
      answered?.resolve({ state: readState(text).name, revision: Number(revision) });
    } catch (error) {
      answered?.reject(error);
    }
  };

  return () => {
    asked ??= Promise.withResolvers();
    const { promise } = asked;
    schedule();
    return promise;
  };
}

interface PresentState {
  readonly state: string;
  readonly revision: number;
}
