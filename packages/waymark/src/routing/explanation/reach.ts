import type { Finding, Refusal } from "../../app.ts";
import type { DeclarationSite } from "../../common/declaration.ts";
import * as problemTypes from "../../common/problem-types.ts";
import { quote } from "../../common/wording.ts";
import { knownMethods } from "../../conditions/method.ts";
import { docsOfFilter } from "../../description.ts";
import type { Filter, WebFilter } from "../../filter.ts";
import { parseTemplate } from "../../path/template.ts";
import { HttpRequest } from "../../request.ts";
import type { Group, SingleRoute } from "../../route.ts";
import { type Branch, describeRoute } from "../dispatch/branch.ts";

/** Who reaches a branch, as far as the filters around it say. */
export interface Reach {
  /** The outermost first. */
  readonly refuses: readonly Refusal[];
  /** Why everybody may; undefined where nobody says so. */
  readonly open: string | undefined;
  /** The methods that are neither guarded nor open. */
  readonly unguarded: readonly string[];
  /** What is wrong with the place of its `open(…)`. */
  readonly misplaced: Omit<Finding, "kind"> | undefined;
}

type Filters = readonly (Filter | WebFilter)[];

/** Returns who reaches a branch. Each of its methods is asked for: a filter may let some of them by. */
export function reachOf(
  { placed, methods = new Set(knownMethods), pattern, route }: Branch,
  everywhere: Filters,
): Reach {
  const target = samplePath(pattern.text);
  const samples = [...methods, ...(methods.has("GET") && !methods.has("HEAD") ? ["HEAD"] : [])].map((method) =>
    HttpRequest.of({ method, target }),
  );
  const levels: readonly Filters[] = [everywhere, ...placed.groups.map(filtersOf)];
  const refusals = levels.map((filters) => filters.flatMap((filter) => refusalsBy(filter, samples)));
  const guards = refusals.flat().filter(isGuard);
  const free = samples.filter(({ method }) => guards.every((guard) => guard.methods?.includes(method) === false));
  const [mark, second] = [...placed.groups, placed.route].flatMap(({ descriptions, site }, i) =>
    descriptions.flatMap(({ open: why }) =>
      why === undefined
        ? []
        : [
            {
              why,
              site,
              guard: refusals
                .slice(0, i + 2)
                .flat()
                .find(isGuard),
            },
          ],
    ),
  );
  const why = (sample: HttpRequest): string | undefined =>
    mark?.why ??
    levels
      .flat()
      .map((filter) => docsOfFilter(filter, sample).open)
      .find(Boolean);
  return {
    refuses: refusals.flat(),
    open: free.map(why).find(Boolean),
    unguarded: free.filter((sample) => why(sample) === undefined).map(({ method }) => method),
    misplaced: misplacedOpen(describeRoute(route), mark, second),
  };
}

const filtersOf = ({ app, filters }: Group): Filters => [...(app?.filters ?? []), ...filters];

/** An `open(…)`, and a guard that is around it. */
interface Mark {
  readonly why: string;
  readonly site: DeclarationSite;
  readonly guard: Refusal | undefined;
}

function misplacedOpen(route: string, mark: Mark | undefined, second: Mark | undefined): Reach["misplaced"] {
  if (mark === undefined) return undefined;
  const { why, site, guard } = mark;
  if (second !== undefined)
    return { message: `${route} has two open(…), ${quote(why)} and ${quote(second.why)}`, site: second.site };
  return guard && { message: `${route} is not open: ${guard.filter} around it refuses by ${guard.status}`, site };
}

/**
 * Finds the routes without a guard in an app that has guards, since what nobody has thought of is open to everybody; and what is
 * wrong with the place of an `open(…)`.
 *
 * @param everywhere the filters around every request
 */
export function findInReach(branches: readonly Branch[], everywhere: Filters): readonly Finding[] {
  // Most apps have no guards, and some have many routes.
  const says = (filters: Filters): boolean => filters.some(({ describes }) => describes !== undefined);
  const isMarked = (levels: readonly (Group | SingleRoute)[]): boolean =>
    levels.some(({ descriptions }) => descriptions.some(({ open }) => open !== undefined));
  const isSaid = branches.some(
    ({ placed: { groups, route } }) => isMarked([...groups, route]) || says(groups.flatMap(filtersOf)),
  );
  if (!isSaid && !says(everywhere)) return [];
  const reaches = branches.map((branch) => ({ branch, ...reachOf(branch, everywhere) }));
  const hasGuards = reaches.some(({ refuses }) => refuses.some(isGuard));
  const found = reaches.flatMap(({ branch: { route, placed }, refuses, unguarded, misplaced }): readonly Finding[] => {
    if (misplaced !== undefined) return [{ kind: "invalid", ...misplaced }];
    if (!hasGuards || unguarded.length === 0) return [];
    const some = refuses.some(isGuard) ? ` by ${unguarded.join(" and ")}` : "";
    const opaque = refuses.find(({ status }) => status === undefined);
    const unsaid = opaque === undefined ? "" : ` (${opaque.filter} does not say how it refuses)`;
    const message = `${describeRoute(route)} is open to everybody${some}: no filter around it refuses by 401 or 403${unsaid}, and no open("why") says that it is meant`;
    return [{ kind: "unguarded", message, site: placed.route.site }];
  });
  // Of several ways to a handler, and of the routes in a group, the first is named.
  return [...new Map(found.toReversed().map((finding) => [finding.site, finding])).values()].toReversed();
}

/** Whether it depends on who sends a request: where a browser has it from is another question. */
export const isGuard = ({ status, code }: Pick<Refusal, "status" | "code">): boolean =>
  status === 401 || (status === 403 && code !== problemTypes.crossSiteRequest.code);

/** Returns what a filter says of its refusals; nothing of one that lets all samples by. */
function refusalsBy(filter: Filter | WebFilter, samples: readonly HttpRequest[]): readonly Refusal[] {
  if ("takesError" in filter) return [];
  const said = samples.flatMap((sample) => {
    const { responses = {}, problems = [], open } = docsOfFilter(filter, sample);
    const statuses = Object.keys(responses).map((status) => ({ status: Number(status), code: undefined }));
    // Wherever it lets everybody in, a 401 is for credentials that are not good.
    return [...statuses, ...problems]
      .filter((each) => each.status >= 400 && (open === undefined || !isGuard(each)))
      .map((each) => ({ ...each, sample }));
  });
  const isOpaque = filter.describes === undefined && ofPrograms.has(filter.site.declaredBy);
  const alike = Map.groupBy(said, ({ status, code }) => `${status} ${code}`);
  const refusals = [...alike.values()].map((group): Refusal => {
    const [{ status, code }] = group as [(typeof said)[0], ...typeof said]; // groupBy makes no empty group
    const methods = group.length < samples.length ? group.map(({ sample }) => sample.method) : undefined;
    return { filter: describeFilter(filter), status, code, methods };
  });
  return isOpaque
    ? [{ filter: describeFilter(filter), status: undefined, code: undefined, methods: undefined }]
    : refusals;
}

/** What makes filters of functions of a program. One of `after` only gets what is answered already. */
const ofPrograms: ReadonlySet<string> = new Set(["before", "around", "provide"]);

/** Returns a path that a template takes, with `1` for each variable: a filter is asked what it says of that. */
export const samplePath = (template: string): string =>
  `/${parseTemplate(template)
    .map((parts) => parts.map((part) => (part.kind === "text" ? encodeURIComponent(part.text) : "1")).join(""))
    .join("/")}`;

/** Describes the filter as `rateLimit (file:line:column)`; one made of a function with the function's name. */
export function describeFilter(filter: Filter | WebFilter): string {
  const { site } = filter;
  const { declaredBy } = site;
  const named =
    filter.kind === "filter" && ["before", "after", "around"].includes(declaredBy) ? filter.name : undefined;
  return `${named ? `${declaredBy} ${named}` : declaredBy} (${site})`;
}
