import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { type App, contentType, DELETE, GET, group, PATCH, POST, PUT, router } from "waymark";
import { jsonDecoder } from "waymark/content";
import { z } from "zod";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { collection, type Database, openDatabase } from "../../src/index.ts";
import { jsonPatchType, mergePatchType } from "../../src/internal.ts";

const schema = z.strictObject({ name: z.string().min(1), identifier: z.string().optional() });
type Thing = { readonly name: string; readonly identifier?: string };

/** What a collection is to its clients: records by id, and the last id that was given. */
interface Model {
  readonly things: Map<number, Thing>;
  lastId: number;
}

interface System {
  readonly app: App;
  readonly database: Database;
}

const name = fc.constantFrom("a", "b", "c");
const identifier = fc.constantFrom(undefined, "x", "y");
const id = fc.constantFrom(1, 2, 3);
const prefer = fc.constantFrom(undefined, "return=representation", "return=minimal");

const change = fc.record({
  method: fc.constantFrom("POST", "PUT", "DELETE", mergePatchType, jsonPatchType),
  id,
  name,
  identifier,
  prefer,
  condition: fc.constantFrom("none", "current", "stale", "any"),
});
type Change = typeof change extends fc.Arbitrary<infer C> ? C : never;

const listing = fc.record({
  filter: fc.constantFrom("", "name=a", "name[ne]=a", "identifier[in]=x,z", "name[prefix]=b", "id[gt]=1"),
  sort: fc.constantFrom("", "name", "-name", "identifier,-name", "-identifier,id", "-id"),
  limit: fc.integer({ min: 1, max: 3 }),
});
type Listing = typeof listing extends fc.Arbitrary<infer L> ? L : never;

it("any sequence of changes and lists does what a model of the collection says", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof({ weight: 3, arbitrary: change }, listing), { maxLength: 25 }),
      async (steps) => {
        const system = await open();
        try {
          const model: Model = { things: new Map(), lastId: 0 };
          for (const step of steps) {
            if ("method" in step) await assertChange(system, model, step);
            else await assertListing(system, model, step);
          }
          await assertListing(system, model, { filter: "", sort: "", limit: 2 });
        } finally {
          await system.database.close();
        }
      },
    ),
    { numRuns: runs(50) },
  );
});

async function open(): Promise<System> {
  const database = await openDatabase(":memory:", {
    collections: [
      {
        name: "things",
        members: {
          identifier: { unique: true, filter: "text" },
          name: { filter: "text" },
        },
      },
    ],
  });
  const things = collection({ path: "/things", store: database.store("things"), schema, decoders: [jsonDecoder] });
  const app = router(
    group(
      "/things",
      GET("/{id}", things.read),
      GET(things.list),
      POST(things.create),
      PUT("/{id}", things.replace),
      PATCH("/{id}", contentType(...things.amendTypes), things.amend),
      DELETE("/{id}", things.remove),
    ),
  );
  return { app, database };
}

async function ask({ app }: System, method: string, target: string, headers: Record<string, string>, body?: unknown) {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await app.fetch(new Request(`http://localhost${target}`, { method, headers, ...sent }));
  return { status: response.status, text: await response.text(), header: (name: string) => response.headers.get(name) };
}

async function assertChange(system: System, model: Model, step: Change): Promise<void> {
  const { method: kind, id, name, identifier, prefer, condition } = step;
  const isCreation = kind === "POST";
  const target = isCreation ? "/things" : `/things/${id}`;
  const current = isCreation ? undefined : model.things.get(id);
  const thing = { name, ...(identifier !== undefined && { identifier }) };
  const bodies: Readonly<Record<string, unknown>> = {
    POST: thing,
    PUT: thing,
    [mergePatchType]: thing,
    [jsonPatchType]: [
      { op: "test", path: "/name", value: current?.name ?? "a" },
      ...Object.entries(thing).map(([member, value]) => ({ op: "add", path: `/${member}`, value })),
    ],
  };
  const isPatch = kind.includes("/");
  const tag = isCreation || condition === "none" ? undefined : await tagFor(system, target, condition);
  const headers = {
    "Content-Type": isPatch ? kind : "application/json",
    ...(prefer !== undefined && { Prefer: prefer }),
    ...(tag !== undefined && { "If-Match": tag }),
  };
  const answer = await ask(system, isPatch ? "PATCH" : kind, target, headers, bodies[kind]);

  const changed = isPatch ? { ...current, ...thing } : thing;
  const whole = prefer === "return=representation";
  const told = JSON.stringify(step);
  if (!isCreation && current === undefined) {
    assert.equal(answer.status, 404, told);
    return;
  }
  if (!isCreation && condition === "stale") {
    assert.equal(answer.status, 412, told);
    return;
  }
  if (kind !== "DELETE" && isTaken(model, isCreation ? 0 : id, changed.identifier)) {
    assert.equal(answer.status, 409, told);
    return;
  }
  const statuses: Readonly<Record<string, number>> = { POST: 201, DELETE: 200 };
  assert.equal(answer.status, statuses[kind] ?? (whole ? 200 : 204), told);
  assert.equal(answer.header("Preference-Applied"), prefer ?? null, told);
  const written = isCreation ? ++model.lastId : id;
  if (kind === "DELETE") model.things.delete(id);
  else model.things.set(written, changed);
  if (whole)
    assert.deepEqual(ownOf(JSON.parse(answer.text)), { id: written, ...(kind === "DELETE" ? current : changed) });
  else assert.equal(answer.text, "");
}

async function tagFor(system: System, target: string, condition: string): Promise<string> {
  if (condition === "stale") return '"0-json"';
  return condition === "any" ? "*" : ((await ask(system, "GET", target, {})).header("ETag") ?? '"none"');
}

const isTaken = ({ things }: Model, id: number, identifier: string | undefined): boolean =>
  identifier !== undefined && [...things].some(([other, thing]) => other !== id && thing.identifier === identifier);

function ownOf({ createdAt: _createdAt, updatedAt: _updatedAt, ...own }: Record<string, unknown>): unknown {
  return own;
}

async function assertListing(system: System, { things }: Model, { filter, sort, limit }: Listing): Promise<void> {
  const expected = [...things]
    .map(([id, thing]) => ({ id, ...thing }))
    .filter((thing) => filters[filter]?.(thing) ?? true)
    .toSorted((one, other) => compare(sort, one, other));
  const query = [filter, sort && `sort=${sort}`].filter((part) => part !== "").join("&");
  const { text } = await ask(system, "GET", `/things?${query}`, {});
  assert.deepEqual(JSON.parse(text).map(ownOf), expected, query);

  const walked: unknown[] = [];
  for (let at: string | undefined = `/things?${query}&limit=${limit}`; at !== undefined; ) {
    const page = await ask(system, "GET", at, { Prefer: "count=exact" });
    assert.equal(page.header("X-Total-Count"), `${expected.length}`);
    walked.push(...JSON.parse(page.text).map(ownOf));
    at = /<([^>]*)>; rel="next"/.exec(page.header("Link") ?? "")?.[1];
  }
  assert.deepEqual(walked, expected, query);
}

type Identified = Thing & { readonly id: number };

const filters: Readonly<Record<string, (thing: Identified) => boolean>> = {
  "name=a": ({ name }) => name === "a",
  "name[ne]=a": ({ name }) => name !== "a",
  "identifier[in]=x,z": ({ identifier }) => identifier === "x",
  "name[prefix]=b": ({ name }) => name === "b",
  "id[gt]=1": ({ id }) => id > 1,
};

/** By the keys of the order; what lacks the member comes first, and the id decides in the direction of the last key. */
function compare(sort: string, one: Identified, other: Identified): number {
  const keys = sort === "" ? ["id"] : sort.split(",");
  const last = keys.at(-1)?.startsWith("-") === true ? "-id" : "id";
  for (const key of [...keys, last]) {
    const member = key.replace("-", "") as keyof Identified; // the keys above are members
    const [a = "", b = ""] = [one[member], other[member]];
    if (a !== b) return (a < b ? -1 : 1) * (key.startsWith("-") ? -1 : 1);
  }
  return 0;
}
