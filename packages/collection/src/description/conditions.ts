import { type ProblemType, problemTypes } from "waymark";
import type { Description } from "waymark/openapi";
import { collectionProblemTypes as types } from "../problem-types.ts";
import { type CollectionSettings, everyCaller } from "../settings.ts";

/** The fields that name a state of a resource. */
export const stateFields: Readonly<Record<"ETag" | "Last-Modified", Description.Header>> = {
  ETag: { description: "The state that this is; each representation has its own." },
  "Last-Modified": { description: "When it last changed." },
};

const preconditions: Readonly<Record<string, Description.Parameter>> = {
  "If-Match": { description: "The ETag that it must still have, else 412." },
  "If-Unmodified-Since": { description: "Its Last-Modified: 412 if it has changed since." },
  "If-None-Match": { description: "An ETag that it must not have, else 304 to a GET, and 412 to a change." },
};

const readPreconditions: Readonly<Record<string, Description.Parameter>> = {
  ...preconditions,
  "If-Modified-Since": { description: "Its Last-Modified: 304 if it has not changed since." },
};

/** What is said of a read that evaluates preconditions on these of the fields that name its state. */
export const conditionalRead = (state: Partial<typeof stateFields>): Description => {
  const headers = Object.entries(readPreconditions).filter(
    ([name]) => "Last-Modified" in state || name.endsWith("Match"),
  );
  return {
    headers: Object.fromEntries(headers),
    responses: { 304: { description: "The copy is current.", headers: state } },
    problems: [types.preconditionFailed],
  };
};

/** What is said of a change that evaluates preconditions, by these fields or those that are given. */
export const conditionalChange = (
  { requirePreconditions }: Pick<CollectionSettings, "requirePreconditions">,
  headers: Description["headers"] = preconditions,
): Description => ({
  headers,
  problems: [types.preconditionFailed, ...(requirePreconditions ? [types.preconditionRequired] : [])],
});

/** The problems of an operation that shows records, which is refused to callers who may not read them. */
export const problemsOfReaders = ({ mayRead }: Pick<CollectionSettings, "mayRead">): readonly ProblemType[] =>
  mayRead === everyCaller ? [] : [problemTypes.forbidden];
