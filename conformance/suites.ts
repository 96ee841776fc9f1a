import type { Suite } from "./suite.ts";
import { cards } from "./suites/cards.ts";
import { clientGenerators } from "./suites/generators.ts";
import { h1spec } from "./suites/h1spec.ts";
import { jsonTestSuite } from "./suites/json.ts";
import { jsonPatchTests } from "./suites/json-patch.ts";
import { llhttp } from "./suites/llhttp.ts";
import { naughtyStrings } from "./suites/naughty-strings.ts";
import { oasdiff } from "./suites/oasdiff.ts";
import { openApiJudges, openApiLinters } from "./suites/open-api.ts";
import { structuredFields } from "./suites/structured-fields.ts";
import { xmlSuite } from "./suites/xml.ts";

/** All suites, in the order of the table. */
export const suites: readonly Suite[] = [
  h1spec,
  llhttp,
  structuredFields,
  jsonTestSuite,
  jsonPatchTests,
  xmlSuite,
  naughtyStrings,
  ...openApiJudges,
  ...openApiLinters,
  ...clientGenerators,
  oasdiff,
  ...cards,
];
