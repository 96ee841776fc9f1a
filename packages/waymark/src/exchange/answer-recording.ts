import type { HeaderList } from "../fields/header-list.ts";

/**
 * What an answer depends on besides the head of its request, and that changes, such as a database. Answers that depend on nothing
 * else can be sent again from memory.
 */
export interface AnswerSource {
  /**
   * Returns a number that is another one after each change, from before the change is acknowledged to anybody; undefined while that
   * cannot be said. It is called before each answer from memory, and must not throw.
   */
  readonly revision: () => number | undefined;
}

/**
 * A turn of the event loop: it reads what has arrived when it begins; what arrives later waits in the sockets for the
 * next turn.
 */
export interface EventLoopTurn {
  /** When it began, by `performance.now()`. */
  readonly began: number;
  /** How many milliseconds the turn before it took; 0 when the loop was idle between the two. */
  readonly previous: number;
}

/** A request whose answer comes from memory. */
export interface RepeatedRequest {
  /** The address of the client, as `Client` has it. */
  readonly address: string | undefined;
  /** The fields of the request. */
  readonly headers: HeaderList;
  /** The turn of the event loop in which the request was read; undefined where the server knows none. */
  readonly turn: EventLoopTurn | undefined;
  /** How long it took until all was sent or the client had gone, in milliseconds; 0 before. */
  readonly duration: number;
  /** Whether the client was sent the whole answer; false before. */
  readonly isSent: boolean;
  /** Returns the value that a field has in this answer and in no other; undefined where no filter renews the field. */
  renewed(name: string): string | undefined;
}

/** What a filter does for each answer that comes from memory, which passes the filter by. The functions must not throw. */
export interface Repetition {
  /**
   * Called before each answer from memory: where it returns false, the app answers the request, and the filter sees it. It must not
   * count the request, since another filter may return false. Default: the answer may be sent.
   */
  readonly mayRepeat?: ((request: RepeatedRequest) => boolean) | undefined;
  /** A field of the answer that has a new value each time. An answer with two fields of the name does not come from memory. */
  readonly renews?: RenewedField | undefined;
  /** Called when the whole answer has been sent, or the client has gone. */
  readonly onEnd?: ((request: RepeatedRequest) => void) | undefined;
}

/** A field of the response that has a new value in each answer. */
export interface RenewedField {
  /** The name of the field, as it is sent. */
  readonly name: string;
  /** Returns the value for an answer that is sent now: characters that a field can carry. */
  readonly value: (request: RepeatedRequest) => string;
}

/** Notes what an answer depends on, so that it can be sent again. */
export interface AnswerRecording {
  /** Notes that the answer is the same while the sources that are named stand. */
  allow(): void;
  dependOn(source: AnswerSource): void;
  /** Notes that the answer must not be sent again. */
  refuse(): void;
  /** Reads something of the head that is read anew each time when the answer is sent again: the answer is also for other values. */
  unasked<T>(read: () => T): T;
  /** Notes what is done each time when the answer is sent again. */
  onRepeat(repetition: Repetition): void;
}
