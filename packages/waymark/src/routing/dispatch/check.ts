import { memoizeText } from "../../common/text-map.ts";
import { type ConditionData, leaves } from "../../condition.ts";
import { type Matches, type Place, type Stage, stages } from "../../conditions/kind.ts";
import { HeaderList } from "../../fields/header-list.ts";
import type { HttpResponse } from "../../response.ts";

/** A condition compiled for one place in the tree: by itself, or under `not`. */
export interface Check {
  readonly stage: Stage;
  readonly condition: ConditionData;
  readonly matches: Matches;
  /** The header fields that it reads. */
  readonly consults: readonly string[];
}

/** Compiles the condition, which is well formed, for its place. */
export function compileCheck(condition: ConditionData, place: Place): Check {
  return {
    stage: stageOf(condition),
    condition,
    matches: compile(condition, place),
    consults: [...new Set(leaves(condition).flatMap((leaf) => leaf.kind.consults(leaf)))],
  };
}

/**
 * Refusals are for the first stage that failed. A `not` has the stage of its leaves where all are about the path, or all about
 * the method; no refusal could list which other types would match.
 */
function stageOf(condition: ConditionData): Stage {
  const [first, ...rest] = new Set(leaves(condition).map(({ kind }) => stages[kind.stage]));
  if (first === undefined || rest.length > 0) return stages.other;
  return condition.kind === "not" && first > stages.method ? stages.other : first;
}

function compile(condition: ConditionData, place: Place): Matches {
  switch (condition.kind) {
    case "and": {
      const all = condition.conditions.map((member) => compile(member, place));
      return (...subject) => all.every((matches) => matches(...subject));
    }
    case "or": {
      const some = condition.conditions.map((member) => compile(member, place));
      return (...subject) => some.some((matches) => matches(...subject));
    }
    case "not": {
      const matches = compile(condition.condition, place);
      return (...subject) => !matches(...subject);
    }
    default:
      return condition.kind.compile(condition, place);
  }
}

/** Header fields on which a choice rests. */
export interface Consulted {
  /** The Vary that says so; no field where the choice rests on none. */
  readonly vary: HeaderList;
  /** The Vary with these members added to another one; undefined where that one has all of them. */
  readonly varyBeside: (members: string) => HeaderList | undefined;
}

/** Makes the fields of a choice, once: their Vary is joined to every response. */
export function consulting(names: readonly string[]): Consulted {
  if (names.length === 0) return consultingNothing;
  const varyBeside = memoizeText((members) => {
    const current = HeaderList.of({ Vary: members });
    const merged = current.withMembers("Vary", names);
    return merged === current ? undefined : merged;
  });
  return { vary: HeaderList.of({ Vary: names.join(", ") }), varyBeside };
}

export const consultingNothing: Consulted = { vary: HeaderList.empty, varyBeside: () => undefined };

/** Adds to the response on which header fields its choice rests (RFC 9110 §12.5.5). */
export function withVary(response: HttpResponse, { vary, varyBeside }: Consulted): HttpResponse {
  const { headers } = response;
  const members = headers.get("Vary");
  if (members === undefined) return response.withHeaders(headers.concat(vary));
  const merged = varyBeside(members);
  return merged === undefined ? response : response.withHeaders(headers.without("Vary").concat(merged));
}
