import { problemTypes } from "waymark";
import type { ContentDescription, Description, JsonSchema, ResponseDescription } from "waymark/openapi";
import { ofCopies } from "./copies.ts";

// The descriptions of the routes that are not those of the people.

const service: Description = { tags: ["Service"] };

export const ofReference: Description = {
  ...service,
  operationId: "readReference",
  summary: "Read the reference of the API",
  description: "This document as a page, with a form for each operation that sends it.",
  ...ofCopies({ description: "The page.", types: { "text/html": {} } }),
};

export const ofAssets: Description = {
  ...service,
  operationId: "readAsset",
  summary: "Load a style, script or picture of the pages",
  description: "The name has a digest of the content, so that a copy can be kept for ever.",
  variables: { file: { description: "From a page.", example: "style.3f9c2a1b77.css" } },
  ...ofCopies(
    {
      description: "The file.",
      types: {
        "text/css": {},
        "text/javascript": {},
        "image/svg+xml": { schema: { type: "string" } },
        "image/png": {},
      },
    },
    problemTypes.notFound,
  ),
};

/** The content of a form, whose handler leaves out what it does not know. */
const formOf = (schema: JsonSchema): ContentDescription => ({
  validated: false,
  types: { "application/x-www-form-urlencoded": { schema: { type: "object", ...schema } } },
});

const to = { type: "string", description: "The path to go to afterwards." };

const seeOther: ResponseDescription = {
  description: "It is done, and `Location` leads on.",
  headers: {
    Location: { description: "The next page." },
    "Set-Cookie": { description: "The session of the browser." },
  },
};

export const ofSignInPage: Description = {
  ...service,
  operationId: "readSignInPage",
  summary: "Read the page to sign in on",
  description: "For browsers. Programs send credentials with each request.",
  query: { to: { description: "The path to go to afterwards." } },
  responses: { 200: { description: "The page.", types: { "text/html": {} } } },
};

export const ofSignIn: Description = {
  ...service,
  operationId: "signIn",
  summary: "Sign a browser in",
  description: "What the form of the page sends.",
  content: formOf({
    properties: {
      name: { type: "string" },
      password: { type: "string" },
      key: { type: "string", description: "An API key, in place of both." },
      to,
    },
  }),
  responses: {
    303: seeOther,
    403: { description: "The page again: the credentials are wrong.", types: { "text/html": {} } },
    503: {
      description: "The page again: too many have tried.",
      types: { "text/html": {} },
      headers: { "Retry-After": { description: "After how many seconds another attempt may succeed." } },
    },
  },
};

export const ofLanguage: Description = {
  ...service,
  operationId: "chooseLanguage",
  summary: "Choose the language of the pages",
  description: "What the form of the pages sends. A cookie keeps the choice, which goes before `Accept-Language`.",
  content: formOf({
    properties: {
      language: { type: "string", description: "Such as `de`. One that the pages lack changes nothing." },
      to,
    },
  }),
  responses: { 303: { ...seeOther, headers: { ...seeOther.headers, "Set-Cookie": { description: "The choice." } } } },
};

export const ofSignOut: Description = {
  ...service,
  operationId: "signOut",
  summary: "Sign a browser out",
  description: "Ends the session of the browser.",
  responses: {
    303: {
      ...seeOther,
      headers: {
        ...seeOther.headers,
        "Clear-Site-Data": { description: "Has the browser drop its cached pages, and what was typed and not stored." },
      },
    },
  },
};

const seeForm: ResponseDescription = {
  description: "For a browser: what the form says is done, and `Location` leads on.",
  headers: { Location: { description: "The next page." } },
};

/** What a form of the page, sent by a browser, adds to storing a person. */
export const ofNewForm: Description = {
  query: {
    import: {
      description: "For a browser: the form of an import; `check` stores nobody.",
      schema: { enum: ["", "check"] },
    },
  },
  // Not one of the schemas: the members are text, those of an object by `address.postalCode`.
  content: formOf({ additionalProperties: { type: "string" } }),
  responses: {
    200: { description: "For a browser: what a change of many or an import would do.", types: { "text/html": {} } },
    303: seeForm,
  },
};

/**
 * What the forms of the page, sent by a browser, add to the POST of a person: they stand for a PATCH or a DELETE, with its rights. Their
 * content is not among that of the operation, which reads none of anybody else.
 */
export const ofChangeForm: Description = {
  responses: {
    303: seeForm,
    412: {
      description: "For a browser: somebody else has changed the person, and the page shows both versions.",
      types: { "text/html": {} },
    },
  },
};

export const ofGreeting: Description = {
  ...service,
  operationId: "greet",
  summary: "Get a greeting",
  description: "A fixed text, which shows that the service is there.",
  responses: { 200: { description: "The greeting.", types: { "text/plain": { example: "Hello World" } } } },
};

export const ofProblemPage: Description = {
  ...service,
  operationId: "readProblem",
  summary: "Read what a problem means",
  description: "The page that the `type` of a problem leads to.",
  variables: { code: { description: "The last segment of the `type` of a problem.", example: "not-found" } },
  responses: {
    200: { description: "What it means, and what would be right.", types: { "text/plain": {}, "text/html": {} } },
  },
  problems: [problemTypes.notFound],
};

export const ofLiveness: Description = {
  ...service,
  operationId: "checkLiveness",
  summary: "Check that the process lives",
  description: "Does not look at the database: to start the process again would not mend that.",
  responses: {
    200: { description: "It does.", types: { "text/plain": { schema: { const: "live" }, example: "live" } } },
  },
};

export const ofReadiness: Description = {
  ...service,
  operationId: "checkReadiness",
  summary: "Check that requests can be sent here",
  description: "Fails while the service starts or stops, and while the database cannot be used.",
  responses: {
    200: {
      description: "They can; where the database can only be read, requests that read.",
      types: { "text/plain": { schema: { enum: ["ready", "ready for reads only"] }, example: "ready" } },
    },
  },
  problems: [problemTypes.serviceUnavailable],
};
