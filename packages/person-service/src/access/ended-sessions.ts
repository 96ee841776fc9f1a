/** A session of a browser. */
export interface Session {
  readonly id: string;
  /** The id of the caller that it lets in. */
  readonly holder: string;
  /** When it was begun, in seconds. */
  readonly begun: number;
}

/** How long a session lasts, in seconds. */
export const sessionLife: number = 8 * 60 * 60;

/** For each holder so many are remembered. */
const mostOfHolder = 100;

/**
 * Remembers sessions that ended before their time, until they would have ended anyway. For each holder it keeps the 100 that were
 * begun last. A holder with so many has no session that was begun before these: so none that has ended is good again, whatever
 * else ends.
 */
export class EndedSessions {
  /** By holder; the one whose last session ended longest ago comes first. */
  readonly #ofHolders = new Map<string, EndedOfHolder>();
  readonly #seconds: () => number;

  /** @param seconds the clock */
  constructor(seconds: () => number) {
    this.#seconds = seconds;
  }

  has({ id, holder, begun }: Session): boolean {
    const ended = this.#ofHolders.get(holder);
    return ended !== undefined && (begun <= ended.noneUntil || ended.sessions.has(id));
  }

  add(session: Session): void {
    this.#forgetOver();
    if (this.has(session)) return;
    const { sessions = new Map<string, Session>() } = this.#ofHolders.get(session.holder) ?? {};
    sessions.set(session.id, session);
    if (sessions.size > mostOfHolder) sessions.delete(oldestOf(sessions).id);
    this.#ofHolders.delete(session.holder);
    this.#ofHolders.set(session.holder, {
      sessions,
      noneUntil: sessions.size < mostOfHolder ? Number.NEGATIVE_INFINITY : oldestOf(sessions).begun,
      last: this.#seconds(),
    });
  }

  #forgetOver(): void {
    for (const [holder, { last }] of this.#ofHolders) {
      if (last + sessionLife > this.#seconds()) return;
      this.#ofHolders.delete(holder);
    }
  }
}

interface EndedOfHolder {
  readonly sessions: Map<string, Session>;
  /** Every session that was begun until then has ended, in seconds. */
  readonly noneUntil: number;
  /** When the last one ended, in seconds. */
  readonly last: number;
}

const oldestOf = (sessions: ReadonlyMap<string, Session>): Session =>
  [...sessions.values()].reduce((oldest, session) => (session.begun < oldest.begun ? session : oldest));
