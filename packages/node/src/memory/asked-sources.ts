import { performance } from "node:perf_hooks";
import type { AnswerSource } from "waymark";

/**
 * Asks sources for their revisions, once for the requests that are read together.
 *
 * The event loop asks the system which sockets have something to read, and then reads each of them: a round. So the first byte of
 * what is read of a socket in a round had arrived before anything else was read in that round: a head that begins with this byte is
 * *prompt*. Whatever a source has said in the round, it has said after a prompt request had begun to arrive, and what was
 * acknowledged before is in it. For any other head the source is asked again.
 *
 * Over TLS nobody sees with which byte a head begins. But as long as nothing more has been read of a connection, its heads had all
 * arrived when a source was asked for one of them. So there a round is what has been read at once.
 */
export class AskedSources {
  readonly #known = new WeakMap<AnswerSource, AskedSource>();
  #count = 0;
  #isOpen = false;

  of(source: AnswerSource): AskedSource {
    let asked = this.#known.get(source);
    if (asked === undefined) {
      asked = new AskedSource(source);
      this.#known.set(source, asked);
    }
    return asked;
  }

  /** The number of the round that goes on; -1 where it is not known which round it is. */
  get round(): number {
    if (!hasRounds) return -1;
    if (!this.#isOpen) {
      this.#isOpen = true;
      this.#count++;
      // Comes when all has been read that there was to be read.
      setImmediate(this.#end);
    }
    return this.#count;
  }

  /** Begins a round that the caller ends, by beginning another. */
  newRound(): number {
    return hasRounds ? ++this.#count : -1;
  }

  readonly #end = (): void => {
    this.#isOpen = false;
  };
}

/** A source, and what it has said last. */
export class AskedSource {
  readonly #source: AnswerSource;
  #round = -1;
  #revision: number | undefined;

  constructor(source: AnswerSource) {
    this.#source = source;
  }

  /** @param round what it has said in this round will do; -1 to ask it again */
  revision(round: number): number | undefined {
    if (round !== -1 && this.#round === round) return this.#revision;
    const revision = this.#source.revision();
    if (round !== -1) {
      this.#round = round;
      this.#revision = revision;
    }
    return revision;
  }
}

/**
 * Whether what is read comes in such rounds, with immediates behind each: libuv does so, but on Windows, where the system reads by
 * itself. Node's types promise the figures, which other runtimes with its modules lack.
 */
const hasRounds: boolean =
  process.platform !== "win32" &&
  (performance.nodeTiming as { readonly uvMetricsInfo?: object }).uvMetricsInfo !== undefined;

/** The most sockets with which there is one round before the immediates: libuv asks the system again when 1,024 had something. */
export const mostInRound = 500;
