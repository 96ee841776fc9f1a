/**
 * Lets checks of passwords take turns, since each takes a thread of the four that files and compression use too. Two run at
 * a time. Those that wait are in two lines, which are served alternately: one for names that signed in from the same client
 * within the last day, one for all others. So an attack from any number of addresses does not keep out the people who use
 * the service. Within a line, clients take turns.
 */
export interface SignInQueue {
  /**
   * Runs a check in its turn. Resolves with undefined, and does not run it, where there is no room to wait: a line has room
   * for 32, and when it is full, a client with fewer in it takes the place of the newest of the client that has most.
   */
  run<T>(client: string, name: string, check: () => Promise<T>): Promise<T | undefined>;
  /** Remembers that a name has signed in from a client. */
  remember(client: string, name: string): void;
}

/** @param now a clock that only goes forward, in milliseconds */
export function signInQueue(now: () => number): SignInQueue {
  const rememberedUntil = new Map<string, number>();
  const signedInLately = new Line();
  const others = new Line();
  let running = 0;
  let lastServed = others;

  const next = (): Start | undefined => {
    const [first, second] = lastServed === others ? [signedInLately, others] : [others, signedInLately];
    lastServed = first.isEmpty ? second : first;
    return lastServed.next();
  };

  return {
    async run(client, name, check) {
      if (running < mostAtOnce) {
        running++;
      } else {
        const isKnown = (rememberedUntil.get(keyOf(client, name)) ?? 0) > now();
        if (!(await (isKnown ? signedInLately : others).wait(client))) return undefined;
      }
      try {
        return await check();
      } finally {
        // The place is handed on, so that no check that comes meanwhile takes it.
        const start = next();
        if (start === undefined) running--;
        else start(true);
      }
    },
    remember(client, name) {
      const key = keyOf(client, name);
      rememberedUntil.delete(key);
      rememberedUntil.set(key, now() + day);
      const [oldest] = rememberedUntil.keys();
      if (rememberedUntil.size > mostRemembered && oldest !== undefined) rememberedUntil.delete(oldest);
    },
  };
}

const mostAtOnce = 2;
const mostWaiting = 32;
const mostRemembered = 10_000;
/** In milliseconds. */
const day = 86_400_000;

const keyOf = (client: string, name: string): string => JSON.stringify([client, name]);

/** Ends a wait: with true when it is the check's turn, with false when it has lost its place. */
type Start = (isItsTurn: boolean) => void;

/** Checks that wait, by client. */
class Line {
  /** The client whose turn it is comes first. */
  readonly #byClient = new Map<string, Start[]>();
  #waiting = 0;

  get isEmpty(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves with true when it is the client's turn, and with false when there is no room to wait. */
  wait(client: string): Promise<boolean> {
    const own = this.#byClient.get(client) ?? [];
    if (this.#waiting >= mostWaiting && !this.#makeRoom(own.length)) return Promise.resolve(false);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    own.push(resolve);
    this.#byClient.set(client, own);
    this.#waiting++;
    return promise;
  }

  /** Takes the first of the client whose turn it is. */
  next(): Start | undefined {
    const [first] = this.#byClient;
    if (first === undefined) return undefined;
    const [client, waiting] = first;
    const start = waiting.shift();
    this.#byClient.delete(client);
    if (waiting.length > 0) this.#byClient.set(client, waiting);
    this.#waiting--;
    return start;
  }

  /** Turns away the newest of the client with most, where that has more than another with `own` would then have. */
  #makeRoom(own: number): boolean {
    const most = this.#byClient.values().reduce((one, other) => (other.length > one.length ? other : one));
    if (most.length <= own + 1) return false;
    most.pop()?.(false);
    this.#waiting--;
    return true;
  }
}
