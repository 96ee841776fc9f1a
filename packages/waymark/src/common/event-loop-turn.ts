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
