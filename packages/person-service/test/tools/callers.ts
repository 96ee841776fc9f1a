import { before } from "node:test";
import type { OpenApiDocument } from "waymark/openapi";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openAccess } from "../../src/index.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import { type Fields, type Place, placesOf, somebody } from "../api/request-space.ts";
import type { OpenService, Service } from "./transports.ts";

/** A caller of a service: which it calls, and the fields that all of its requests have. */
export interface TestCaller {
  readonly name: string;
  readonly service: Service;
  readonly fields: Fields;
}

/** Callers of each kind, of two services: of one without an access file, and of one with. */
export interface Callers {
  readonly all: readonly TestCaller[];
  /** What there is to ask for, when the tests begin. */
  places(): readonly Place[];
  /** Stores a person where the caller makes its requests, and returns its path. */
  storePerson(caller: TestCaller): Promise<string>;
}

/** Opens both services, each with a person. */
export function openCallers(openService: OpenService): Callers {
  const folder = openFolder("callers");
  const file = folder.write("access.json", {
    rules: [
      { methods: ["GET"], path: "/problems/{code}", anyone: true },
      { methods: ["GET"], path: "/person/**", scopes: ["read"] },
      { path: "/person/**", scopes: ["write"] },
      { path: "/**", scopes: ["read"] },
    ],
    users: [
      { name: "reader", password: quickHash("x"), scopes: ["read"] },
      { name: "writer", password: quickHash("x"), scopes: ["write"] },
      { name: "editor", password: quickHash("x"), scopes: ["read", "write"] },
    ],
  });
  const open = openService();
  const guarded = openService(async () => ({ access: (await openAccess({ file })).filter }));
  const user = (name: string): TestCaller => ({
    name: `the ${name}`,
    service: guarded,
    fields: { Authorization: basic(name, "x") },
  });
  const anybody: TestCaller = { name: "anybody", service: open, fields: {} };
  const editor = user("editor");
  const storePerson = async ({ service }: TestCaller): Promise<string> => {
    const { fields } = service === guarded ? editor : anybody;
    const headers = { ...fields, "Content-Type": "application/json" };
    return (await service.send("POST", "/person", { headers, body: somebody })).headers["location"] ?? "";
  };
  let places: readonly Place[] = [];
  before(async () => {
    const { text } = await guarded.send("GET", "/openapi.json", { headers: editor.fields });
    const document: OpenApiDocument = JSON.parse(text);
    places = placesOf(document);
    await Promise.all([anybody, editor].map(storePerson));
  });
  return {
    all: [
      anybody,
      {
        name: "a page of another site",
        service: open,
        fields: { "Sec-Fetch-Site": "cross-site", Origin: "https://b" },
      },
      { name: "nobody known", service: guarded, fields: {} },
      ...[user("reader"), user("writer"), editor],
    ],
    places: () => places,
    storePerson,
  };
}
