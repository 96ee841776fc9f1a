import { hash } from "node:crypto";
import { collectionProblemTypes, type Store, StoreUnavailable } from "@waymark/collection";
import {
  accept,
  content,
  GET,
  group,
  type HttpRequest,
  type HttpResponse,
  json,
  onError,
  problem,
  problemTypes,
  type Route,
  string,
  takes,
} from "waymark";
import { preferredLanguages } from "waymark/fields";
import { type Description, docs } from "waymark/openapi";
import { schemaPath } from "../access/policy.ts";
import { callerOf } from "../access/rights.ts";
import { answerCopy, ofCopies } from "../api/copies.ts";
import { type Language, languages } from "../person/members/member.ts";
import { memberEntries } from "../person/members/members.ts";
import { publishedSchema } from "../person/published-schema.ts";
import type { Site } from "../site.ts";
import { storedValues, suggestionsFor } from "./values.ts";

/** What programs that show people ask beside the people themselves; for whoever may list them. */
export function aboutPeople(site: Site, store: Store): Route {
  const isReader = (request: HttpRequest<unknown>): boolean => site.may(request, "GET", "/person");
  return group(schemaRoute(site, isReader), lookUps(store, isReader));
}

type IsReader = (request: HttpRequest<unknown>) => boolean;

const notAReader = (request: HttpRequest<unknown>): HttpResponse =>
  problem(problemTypes.forbidden, { detail: "This is for whoever may list people.", caller: callerOf(request) });

function schemaRoute({ members }: Site, isReader: IsReader): Route {
  const texts = new Map<Language, string>(); // each is made when it is asked for first
  return GET(schemaPath, accept("application/schema+json", "application/json"), docs(ofSchema), (request) => {
    if (!isReader(request)) return notAReader(request);
    const type = request.negotiatedType ?? "application/schema+json";
    const asked = preferredLanguages(request.headers.get("Accept-Language"));
    const named = asked.map((tag) => tag.toLowerCase().replace(/-.*/, ""));
    const language = named.map((name) => languages.find((each) => each === name)).find(Boolean) ?? "en";
    const text = texts.get(language) ?? JSON.stringify(publishedSchema(members, language));
    texts.set(language, text);
    const tag = `"${hash("sha256", text, "base64url").slice(0, 22)}-${type.slice("application/".length)}"`;
    const response = content(type, text).withHeader("Content-Language", language);
    const headers = response.headers.with("ETag", tag).with("Cache-Control", "no-cache");
    return answerCopy(request, response.withHeaders(headers.withMembers("Vary", ["Accept-Language"])), [tag]);
  });
}

const lookUps = (store: Store, isReader: IsReader): Route =>
  group(
    "/person",
    onError(StoreUnavailable, () => unavailable),
    GET(
      "/values/{member}",
      accept("application/json"),
      docs(ofValues),
      takes({ query: { prefix: string({ longest: 200, default: "" }) }, strict: true }),
      async (request, { query }) => {
        if (!isReader(request)) return notAReader(request);
        const values = await storedValues(store, request.variables.member, query.prefix, request.signal);
        return values === undefined ? noValues : json(values).withHeader("Cache-Control", "private, no-cache");
      },
    ),
    GET(
      "/suggestions/{text}",
      accept("application/json"),
      docs(ofSuggestions),
      takes({ variables: { text: string({ longest: 200 }) }, strict: true }),
      async (request, { variables }) => {
        if (!isReader(request)) return notAReader(request);
        return json({ suggestions: await suggestionsFor(store, variables.text, request.signal) }).withHeader(
          "Cache-Control",
          "private, no-cache",
        );
      },
    ),
  );

const noValues = problem(problemTypes.notFound, {
  detail: "People have no member of this name whose values are text to filter by.",
});
const unavailable = problem(collectionProblemTypes.storeUnavailable, {
  detail: "The store cannot be used at the moment.",
}).withHeader("Retry-After", "1");

const people = { tags: ["People"] } as const;
const texts = { type: "array", items: { type: "string" } } as const;

const copiesOfSchema = ofCopies({
  description: "A JSON Schema (2020-12); keywords of our own begin with `x-`.",
  schema: { type: "object", required: ["properties"], properties: { properties: { type: "object" } } },
  headers: { "Content-Language": { description: "The language of what is for people." } },
});

const ofSchema: Description = {
  ...people,
  operationId: "readPersonSchema",
  summary: "Read what a person has",
  description:
    "The members of a person, also those of this service's own, as a JSON Schema: their bounds, what they are called in a language, and how they are shown, asked for, filtered and searched.",
  ...copiesOfSchema,
  headers: {
    ...copiesOfSchema.headers,
    "Accept-Language": { description: "The language of what is for people: `en`, `de`, `fr` or `es`. Default: `en`." },
  },
};

const ofValues: Description = {
  ...people,
  operationId: "listPersonValues",
  summary: "List the values of a member",
  description: "The first 50 values of a member that begin with a text, each once: what a filter by it can ask for.",
  variables: {
    member: {
      description: "The name of a member with a filter of text.",
      example: memberEntries.find(([, { filter }]) => filter === "text")?.[0],
    },
  },
  query: { prefix: { description: "How the values begin, as people compare text. Default: anyhow." } },
  responses: {
    200: {
      description: "The values.",
      schema: {
        type: "object",
        required: ["values", "isComplete"],
        properties: {
          values: { ...texts, maxItems: 50 },
          isComplete: { type: "boolean", description: "Whether there are no others." },
        },
      },
    },
  },
  problems: [problemTypes.notFound, collectionProblemTypes.storeUnavailable],
};

const ofSuggestions: Description = {
  ...people,
  operationId: "suggestPeopleSearches",
  summary: "Suggest what to search for",
  description: "For a search that finds nobody: texts that find somebody, one letter off.",
  variables: { text: { description: "The text that finds nobody.", example: "cantwel" } },
  responses: {
    200: {
      description: "The texts.",
      schema: {
        type: "object",
        required: ["suggestions"],
        properties: { suggestions: { ...texts, maxItems: 5 } },
      },
    },
  },
  problems: [collectionProblemTypes.storeUnavailable],
};
