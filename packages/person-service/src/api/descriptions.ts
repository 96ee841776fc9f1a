import { problemTypes } from "waymark";
import type { Description } from "waymark/openapi";
import { ofCopies } from "./copies.ts";

// The descriptions of the routes that are not those of the people.

const service: Description = { tags: ["Service"] };

export const ofAssets: Description = {
  ...service,
  operationId: "readAsset",
  summary: "Load a style, script or picture of the page",
  description: "The address has a digest of all files, so that a copy can be kept for ever.",
  variables: {
    version: { description: "From the page.", example: "3f9c2a1b77" },
    file: { description: "From the page.", example: "style.css" },
  },
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
