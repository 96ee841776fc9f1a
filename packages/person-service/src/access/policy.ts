import { type AccessDecision, type Awaitable, clientKey, type HttpRequest } from "waymark";
import type { AccessRule } from "./access-file.ts";
import type { Challenges } from "./challenges.ts";
import type { Identify, Identity } from "./identify.ts";
import type { AccessRefusal, Refused } from "./refusal.ts";
import { compileRules } from "./rules.ts";

/** Decides on a request. What it reads of it is method, path and Authorization, and never the content. */
export type Policy = (request: HttpRequest) => Awaitable<AccessDecision>;

/** Who comes in by which rules. */
export interface PolicyParts {
  readonly rules: readonly AccessRule[];
  readonly identify: Identify;
  readonly challenges: Challenges;
  /** Told of each request that is not let in; must not throw. */
  readonly onRefusal: (refusal: AccessRefusal) => void;
}

/**
 * The policy: the first rule that takes a request decides, and where none does, nobody may. Who has not shown who he is learns
 * nothing of the rules: whatever is not for anyone is answered alike.
 */
export function accessPolicy({ rules, identify, challenges, onRefusal }: PolicyParts): Policy {
  const ruleFor = compileRules(rules);

  const judge = (rule: AccessRule | undefined, identity: Identity): Judgement => {
    if (identity.kind === "refused") return identity;
    const { caller, scheme } = identity;
    const required = rule?.scopes;
    if (required?.every((scope) => caller.scopes.includes(scope)) === true) return { kind: "allowed", caller };
    const reason = required === undefined ? "no rule for it" : `not in scope ${required.join(" ")}`;
    const decision: Refused =
      scheme === "Bearer"
        ? { kind: "forbidden", challenges: challenges.insufficientScope(required ?? []) }
        : { kind: "forbidden" };
    return { kind: "refused", decision, reason, caller: caller.id };
  };

  return (request) => {
    const rule = ruleFor(request);
    if (rule?.anyone === true) return { kind: "allowed" };
    const client = clientKey(request);
    const conclude = (identity: Identity): AccessDecision => {
      const judgement = judge(rule, identity);
      if (judgement.kind === "allowed") return judgement;
      const { decision, reason, caller } = judgement;
      const { method, path } = request;
      onRefusal({ kind: decision.kind, reason, method, path, client, caller });
      return decision;
    };
    const identity = identify(request.header("Authorization"), client);
    return identity instanceof Promise ? identity.then(conclude) : conclude(identity);
  };
}

type Judgement =
  | Extract<AccessDecision, { readonly kind: "allowed" }>
  | Extract<Identity, { readonly kind: "refused" }>;
