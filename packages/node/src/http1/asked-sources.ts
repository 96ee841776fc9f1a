import { performance } from "node:perf_hooks";
import type { AnswerSource } from "waymark";

/**
 * Asks sources for their revisions, once for the requests that are read together.
 *
 * The event loop asks the system which sockets have something to read, and then reads each of them: a round. So the first byte of
 * what is read of a socket in a round had arrived before anything else was read in that round: a head that begins with this byte is
 * *prompt*. Whatever a source has said in the round, it has said after a prompt request had begun to arrive, and what was
 * acknowledged before is in it. For any other head the source is asked again.
 */
export class AskedSources {
  /** The number of the round; -1 where it is not known which round it is. */
  round: number = hasRounds ? 0 : -1;
  #isEnding = false;
  readonly #known = new WeakMap<AnswerSource, AskedSource>();

  of(source: AnswerSource): AskedSource {
    let asked = this.#known.get(source);
    if (asked === undefined) {
      asked = new AskedSource(source, this);
      this.#known.set(source, asked);
    }
    return asked;
  }

  /** Has the round end when all has been read that there was to be read. */
  endRound(): void {
    if (this.#isEnding || !hasRounds) return;
    this.#isEnding = true;
    setImmediate(this.#end);
  }

  readonly #end = (): void => {
    this.#isEnding = false;
    this.round++;
  };
}

/** A source, and what it has said last. */
export class AskedSource {
  readonly #source: AnswerSource;
  readonly #asked: AskedSources;
  #round = -1;
  #revision: number | undefined;

  constructor(source: AnswerSource, asked: AskedSources) {
    this.#source = source;
    this.#asked = asked;
  }

  /** @param isPrompt whether what it has said in this round will do */
  revision(isPrompt: boolean): number | undefined {
    const { round } = this.#asked;
    if (isPrompt && this.#round === round) return this.#revision;
    const revision = this.#source.revision();
    this.#asked.endRound();
    if (isPrompt) {
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
