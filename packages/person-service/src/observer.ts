import type { DatabaseObserver } from "@waymark/collection";
import type { RequestObserver } from "@waymark/node";
import type { Filter } from "waymark";
import type { AccessDenial } from "./access/policy.ts";

/**
 * Why a request was turned away before routing: it would have waited too long for the processor, too many requests were in
 * progress, or its client had used up its quota.
 */
export type TurnedAway = "delay" | "in-flight" | "quota";

/** The methods that metrics and traces name; all others are one, since clients can invent methods. */
export const usualMethods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Receives what a service does, for logs, metrics and traces. The functions must not throw. */
export interface ServiceObserver extends RequestObserver, DatabaseObserver {
  /** Called for each request that is refused because the service is busy, or because its client has used up a quota. */
  readonly onTurnedAway?: ((cause: TurnedAway) => void) | undefined;
  /** Called for each request that is denied access, without its credentials. */
  readonly onDenial?: ((denial: AccessDenial) => void) | undefined;
  /** Applied around all other filters. */
  readonly outerFilter?: Filter | undefined;
  /** Applied inside the access filter, which finds the caller. */
  readonly filters?: readonly Filter[] | undefined;
}

/** Joins several observers to one. It has only the functions that some of them have, so that nothing is measured in vain. */
export function joinObservers(observers: readonly ServiceObserver[]): ServiceObserver {
  return {
    onStart: joined(observers.map(({ onStart }) => onStart)),
    onEnd: joined(observers.map(({ onEnd }) => onEnd)),
    onRepeat: repeatsOf(observers),
    onUnavailable: joined(observers.map(({ onUnavailable }) => onUnavailable)),
    onOperation: joined(observers.map(({ onOperation }) => onOperation)),
    onCommit: joined(observers.map(({ onCommit }) => onCommit)),
    onFeedHeld: joined(observers.map(({ onFeedHeld }) => onFeedHeld)),
    onTurnedAway: joined(observers.map(({ onTurnedAway }) => onTurnedAway)),
    onDenial: joined(observers.map(({ onDenial }) => onDenial)),
  };
}

/** Returns how answers from memory are reported; undefined where an observer of requests has to see each of them. */
function repeatsOf(observers: readonly ServiceObserver[]): RequestObserver["onRepeat"] {
  const all = observers.filter(({ onStart, onEnd }) => onStart !== undefined || onEnd !== undefined);
  const reports = all.flatMap(({ onRepeat }) => onRepeat ?? []);
  if (reports.length < all.length) return undefined;
  return (event) => joined(reports.map((report) => report(event))) ?? (() => undefined);
}

type Listener<T> = ((value: T) => void) | undefined;

function joined<T>(listeners: readonly Listener<T>[]): Listener<T> {
  const present = listeners.filter((listener) => listener !== undefined);
  if (present.length < 2) return present[0];
  return (value) => {
    for (const listener of present) listener(value);
  };
}
