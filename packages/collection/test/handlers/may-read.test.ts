import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, PATCH, router } from "waymark";
import { z } from "zod";
import { collection, type Database, openDatabase } from "../../src/index.ts";
import { ask } from "../tools/ask.ts";

/** Refuses `secret` in any member, and says so in the message, as the rules of a schema may. */
const text = z.string().refine((value) => !value.startsWith("secret"), { error: ({ input }) => `cannot be ${input}` });
const schema = z
  .strictObject({ name: text, address: z.strictObject({ city: text, street: text }) })
  .refine(({ address }) => address.street !== "Rue", { error: "cannot be a Rue in secret city" });

describe("a caller who may not read a record", () => {
  let database: Database;
  let app: App;
  const paths: string[] = [];

  before(async () => {
    database = await openDatabase(":memory:", { collections: [{ name: "things" }] });
    const store = database.store("things");
    // As it was allowed by the rules of an earlier version.
    await store.create({ name: "secret name", address: { city: "secret city", street: "Row" } });
    const things = collection({
      path: "/things",
      store,
      schema,
      mayRead: (request, path) => {
        paths.push(path);
        return request.headers.has("Authorization");
      },
    });
    app = router(PATCH("/things/{id}", things.amend));
  });
  after(() => database.close());

  const amend = async (headers: Readonly<Record<string, string>>, street = "secret street") => {
    const { status, value } = await ask(app, "PATCH /things/1", headers, { address: { street } });
    assert.equal(status, 400);
    const errors: readonly { readonly pointer: string; readonly detail: string }[] = value.errors;
    return Object.fromEntries(errors.map(({ pointer, detail }) => [pointer, detail]));
  };

  it("learns by a merge patch what is wrong with the patch, and not what else the record has", async () => {
    assert.deepEqual(await amend({}), {
      "#/name": "is not valid with what is stored",
      "#/address/city": "is not valid with what is stored",
      "#/address/street": "cannot be secret street",
    });
    assert.deepEqual([...new Set(paths)], ["/things/1"]);
  });

  it("learns nothing of the record from a rule about several members", async () => {
    assert.deepEqual(await amend({}, "Rue"), {
      "#": "is not valid with what is stored",
      "#/name": "is not valid with what is stored",
      "#/address/city": "is not valid with what is stored",
    });
    assert.equal((await amend({ Authorization: "Bearer 1" }, "Rue"))["#"], "cannot be a Rue in secret city");
  });

  it("gets another answer than one who may read it", async () => {
    assert.equal((await amend({ Authorization: "Bearer 1" }))["#/name"], "cannot be secret name");
  });
});
