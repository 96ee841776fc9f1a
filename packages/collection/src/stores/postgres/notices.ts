import { setTimeout as elapse } from "node:timers/promises";
import type { Listening } from "../contract/store.ts";
import type { PostgresConnection } from "./connections/connection.ts";
import type { PostgresPool } from "./connections/pool.ts";

/** Sends notices of changes to the programs of a database, and receives theirs. */
export interface PostgresNotices {
  /** Calls the listeners of this program at once, and those of others soon. To be called after each commit. */
  send(): void;
  /** As `Store.listen`. */
  listen(onChange: () => void): Listening;
  close(): Promise<void>;
}

/**
 * Notices are sent in transactions of their own, since those of PostgreSQL commit one after another: within each change, they would
 * make changes several times as slow.
 *
 * @param open opens the connection that listens; called for the first listener
 */
export function postgresNotices(pool: PostgresPool, open: () => Promise<PostgresConnection>): PostgresNotices {
  const listeners = new Set<() => void>();
  let connection: PostgresConnection | undefined;
  /** Whether the notices of other programs are received now. */
  let isHeard = false;
  /** Whether there is such a connection, or will be; for ever where a pooler is in front. */
  let isHearing = false;
  /** Set while no other notice is sent. */
  let pause: NodeJS.Timeout | undefined;
  let isDue = false;
  let sending: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const callAll = (): void => {
    for (const onChange of listeners) onChange();
  };

  const notify = (): void => {
    isDue = false;
    pause = setTimeout(() => {
      pause = undefined;
      if (isDue) notify();
    }, betweenNotices);
    pause.unref();
    // Without waiting for the disk: where the notice is lost, other programs look from time to time.
    const text = `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${channel}', current_schema)`;
    sending = pool.use((lent) => lent.queryAlone({ text })).catch(() => undefined);
  };

  /** Hears until the connection ends. Returns whether it can hear at all. */
  const hearOnce = async (): Promise<boolean> => {
    const opened = await open();
    connection = opened;
    const ended = new Promise<void>((resolve) => opened.onEnd(resolve));
    try {
      const [[schema] = []] = await opened.queryAlone({ text: "SELECT current_schema" });
      isHeard = !isClosed && (await opened.listen(channel, (text) => text === schema && callAll()));
      if (!isHeard) return false;
      callAll(); // of what came before
      await ended;
      return true;
    } finally {
      isHeard = false;
      opened.destroy();
    }
  };

  /** Hears as long as there are listeners, also once the connection broke, or a standby was promoted. */
  const hear = async (): Promise<void> => {
    isHearing = true;
    while (!isClosed && listeners.size > 0) {
      if (!(await hearOnce().catch(() => true))) return;
      await elapse(beforeAnother, undefined, { ref: false });
    }
    isHearing = false;
  };

  return {
    send() {
      callAll();
      if (pause === undefined) notify();
      else isDue = true;
    },
    listen(onChange) {
      listeners.add(onChange);
      if (!isHearing) hear();
      return {
        get isHeard() {
          return isHeard;
        },
        stop: () => void listeners.delete(onChange),
      };
    },
    async close() {
      isClosed = true;
      if (isDue) notify();
      clearTimeout(pause);
      await sending;
      connection?.destroy();
    },
  };
}

const channel = "waymark";

/** In milliseconds. */
const betweenNotices = 50;

/** In milliseconds, before another connection is made: until then, the feed looks at the state as on a standby. */
const beforeAnother = 10_000;
