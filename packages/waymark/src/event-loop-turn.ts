/**
 * A turn of the event loop, which reads what has come by its beginning. What comes while it goes on waits in the sockets,
 * unseen, for the next one.
 */
export interface EventLoopTurn {
  /** When it began, by `performance.now()`. */
  readonly began: number;
  /** How many milliseconds the turn before it took; 0 when the loop has rested between the two. */
  readonly previous: number;
}
