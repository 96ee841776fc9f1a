import { type Attribute, attribute, type HttpRequest } from "waymark";

/**
 * What a request has changed, for a log of who did what. A filter hands one in by `changeNote`; the handlers of collections write
 * into it what they have stored.
 *
 * ```ts
 * around((request, next) => {
 *   const note = new ChangeNote();
 *   return andThen(next(request.withAttribute(changeNote, note)), (response) => (log(note), response));
 * })
 * ```
 */
export class ChangeNote {
  created = 0;
  changed = 0;
  removed = 0;
  /** The ids of the first records, at most 10, as far as they are known: those of many new ones are not. */
  readonly ids: number[] = [];

  /** Whether nothing has changed. */
  get isEmpty(): boolean {
    return this.created + this.changed + this.removed === 0;
  }

  /** Notes a record, whose id may not be known. */
  add(kind: "created" | "changed" | "removed", id: number | undefined): void {
    this[kind]++;
    if (id !== undefined && this.ids.length < mostIds) this.ids.push(id);
  }
}

const mostIds = 10;

/** The note of a request; absent where nobody asks what it changes. */
export const changeNote: Attribute<ChangeNote> = attribute("changeNote");

/** Notes a record that a request has stored or removed. */
export function noteChange(request: HttpRequest<unknown>, kind: "created" | "changed" | "removed", id: number): void {
  request.attribute(changeNote)?.add(kind, id);
}
