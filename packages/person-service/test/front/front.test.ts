import assert from "node:assert/strict";
import { it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { membersOf, openAccess } from "../../src/index.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import { testKey as key, storedKey } from "../access/guarded.ts";
import { asJson, store } from "../tools/answers.ts";
import { describeOnEveryStore, describeService } from "../tools/transports.ts";

const json = { Accept: "application/json" };

describeService("what a client is told of itself", (openService) => {
  const folder = openFolder("front");
  const rules = [
    { methods: ["GET"], path: "/person/**", scopes: ["person:read"] },
    { path: "/person/**", scopes: ["person:read", "person:write"] },
  ];
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person:read", "person:write"] }];
  const file = folder.write("access.json", { rules, users });
  const keys = folder.write("keys.json", { keys: [storedKey(["person:read"])] });
  const guarded = openService(async () => ({
    access: (await openAccess({ file, keys })).filter,
    brand: { title: "Staff", accent: "#0b6e4f" },
  }));
  const open = openService();
  const front = async (headers = {}) =>
    JSON.parse((await guarded.send("GET", "/", { headers: { ...json, ...headers } })).text);
  const bearer = { Authorization: `Bearer ${key}` };

  it("has its title and the ways to sign in, for nobody known", async () => {
    const { title, accent, caller, session, signIn, rights, links } = await front();
    assert.deepEqual([title, accent, caller, session, signIn], ["Staff", "#0b6e4f", null, false, ["password", "key"]]);
    assert.deepEqual(new Set(Object.values(rights)), new Set([false]));
    assert.equal(links.session, "/session");
  });

  it("names the caller and the rights", async () => {
    const { caller, session, rights } = await front(bearer);
    assert.deepEqual(caller, { id: "key:crm", name: "crm", kind: "key" });
    assert.equal(session, false);
    assert.deepEqual(
      Object.entries(rights).flatMap(([name, has]) => (has ? [name] : [])),
      ["read", "export", "follow"],
    );
    const { caller: ada, rights: all } = await front({ Authorization: basic("ada", "correct") });
    assert.equal(ada.id, "user:ada");
    assert.deepEqual(new Set(Object.values(all)), new Set([true]));
  });

  it("refuses credentials that are not good", async () => {
    const answer = await guarded.send("GET", "/", { headers: { ...json, Authorization: "Bearer ps_wrong" } });
    assert.equal(answer.status, 401);
  });

  it("tells who somebody is that may not", async () => {
    const answer = await guarded.send("DELETE", "/person/1", { headers: bearer });
    assert.equal(answer.status, 403);
    assert.deepEqual(JSON.parse(answer.text).caller, { id: "key:crm", name: "crm", kind: "key" });
  });

  it("may do everything where there are no rules", async () => {
    const { text } = await open.send("GET", "/", { headers: json });
    const { caller, signIn, rights, links } = JSON.parse(text);
    assert.deepEqual([caller, signIn, links.session], [null, [], undefined]);
    assert.deepEqual(new Set(Object.values(rights)), new Set([true]));
  });

  it("begins a session and ends it", async () => {
    for (const credentials of [{ name: " ada ", password: "correct" }, { key }]) {
      const begun = await guarded.send("POST", "/session", asJson(credentials));
      assert.deepEqual([begun.status, begun.text], [204, ""]);
      const [cookie = ""] = begun.headers["set-cookie"]?.split(";") ?? [];
      const { caller, session } = await front({ Cookie: cookie });
      assert.deepEqual([caller.name, session], ["key" in credentials ? "crm" : "ada", true]);
      const ended = await guarded.send("DELETE", "/session", { headers: { Cookie: cookie } });
      assert.equal(ended.status, 204);
      assert.match(ended.headers["set-cookie"] ?? "", /^__Host-person-session=; .*Max-Age=0/);
    }
  });

  it("begins none with wrong credentials, for another site, or with something else", async () => {
    const wrong = await guarded.send("POST", "/session", asJson({ name: "ada", password: "wrong" }));
    assert.equal(JSON.parse(wrong.text).type, "/problems/wrong-credentials");
    assert.equal(wrong.headers["set-cookie"], undefined);
    const { headers, body } = asJson({ name: "ada", password: "correct" });
    const foreign = { headers: { ...headers, Origin: "https://evil.example" }, body: body ?? "" };
    assert.equal((await guarded.send("POST", "/session", foreign)).status, 403);
    assert.equal((await guarded.send("POST", "/session", asJson({ name: "ada" }))).status, 400);
    const away = asJson({ key, to: "//evil.example" });
    assert.equal((await guarded.send("POST", "/session", away)).status, 400);
  });

  it("begins one by a form, and leads on", async () => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const answer = await guarded.send("POST", "/session", {
      headers: form,
      body: "name=ada&password=correct&key=&to=/person",
    });
    assert.deepEqual([answer.status, answer.headers["location"]], [303, "/person"]);
  });

  it("is refused the members, the values and suggestions without the right to list people", async () => {
    for (const target of ["/schemas/person", "/person/values/name", "/person/suggestions/ada"]) {
      assert.equal((await guarded.send("GET", target)).status, 401, target);
      assert.equal((await guarded.send("GET", target, { headers: bearer })).status, 200, target);
    }
  });
});

describeService("the members of a person, for programs", (openService) => {
  const service = openService(async () => ({
    members: membersOf({ staffNumber: { type: "string", title: "Staff no.", "x-unique": true } }),
  }));

  it("have bounds, hints, columns and groups, and names in the language that is asked for", async () => {
    const answer = await service.send("GET", "/schemas/person");
    const headers = { "Accept-Language": "pt, de-AT;q=0.9, fr;q=0.8" };
    const german = await service.send("GET", "/schemas/person", { headers });
    const { properties, ...rest } = JSON.parse(answer.text);
    assert.equal(answer.headers["content-type"], "application/schema+json");
    assert.deepEqual([properties.familyName.title, rest["x-groups"].Work], ["Family name", "Work"]);
    const { properties: inGerman, ...restInGerman } = JSON.parse(german.text);
    assert.deepEqual([inGerman.familyName.title, restInGerman["x-groups"].Work], ["Nachname", "Beruf"]);
    assert.equal(german.headers["content-language"], "de");
    assert.match(german.headers["vary"] ?? "", /Accept-Language/);
    assert.notEqual(german.headers["etag"], answer.headers["etag"]);
    assert.deepEqual([properties.name.minLength, properties.name.maxLength], [1, 200]);
    assert.equal(properties.address.properties.postalCode["x-group"], "Address");
    assert.equal(properties.emails["x-of"], "email");
    assert.equal(properties.custom.properties.staffNumber["x-unique"], true);
    assert.equal(properties.updatedAt.readOnly, true);
  });

  it("are small, and a copy of them can be kept", async () => {
    const answer = await service.send("GET", "/schemas/person");
    assert.ok(answer.bytes.length <= 8_000);
    const again = await service.send("GET", "/schemas/person", {
      headers: { "If-None-Match": answer.headers["etag"] ?? "" },
    });
    assert.equal(again.status, 304);
  });
});

describeOnEveryStore("what a filter and a search can ask for", (openService) => {
  const service = openService();
  const get = async (target: string) => {
    const answer = await service.send("GET", target);
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text);
  };

  it("are the values that exist, each once, by their beginnings", async () => {
    for (const worksFor of ["Acme", "ACME", "Ácorn", "Zeta", "acrobat & co"]) {
      await store(service, asJson({ name: "Ada Lovelace", worksFor, categories: ["Friends", "chess"] }));
    }
    await store(service, asJson({ name: "Nobody" }));
    assert.deepEqual(await get("/person/values/worksFor?prefix=AC"), {
      values: ["Acme", "Ácorn", "acrobat & co"],
      isComplete: true,
    });
    assert.deepEqual((await get("/person/values/worksFor")).values.length, 4);
    assert.deepEqual(await get("/person/values/categories?prefix=fr"), { values: ["Friends"], isComplete: true });
    assert.deepEqual((await get("/person/values/categories")).values, ["chess", "Friends"]);
    assert.equal((await service.send("GET", "/person/values/birthDate")).status, 404);
    assert.equal((await service.send("GET", "/person/values/nothing")).status, 404);
    assert.equal((await service.send("GET", "/person/values/name?prefix=a&x=1")).status, 400);
  });

  it("are at most fifty", async () => {
    const people = Array.from({ length: 60 }, (_, i) => JSON.stringify({ name: `Person ${i}`, jobTitle: `Job ${i}` }));
    const list = { headers: { "Content-Type": "application/x-ndjson" }, body: people.join("\n") };
    assert.equal((await service.send("POST", "/person", list)).status, 200);
    const { values, isComplete } = await get("/person/values/jobTitle?prefix=job");
    assert.deepEqual([values.length, isComplete], [50, false]);
  });

  it("are the words that are one letter off", async () => {
    await store(service, asJson({ name: "Augusta King", familyName: "Cantwell" }));
    const suggestions = async (q: string) => (await get(`/person/suggestions/${encodeURIComponent(q)}`)).suggestions;
    assert.deepEqual(await suggestions("Cantwel Augsta"), []);
    for (const q of ["augusta cantwekk", "cantwlel", "cantwelll", "kantwell"]) {
      const found = await suggestions(q);
      if (q !== "augusta cantwekk") assert.deepEqual(found, ["cantwell"], q);
    }
    assert.deepEqual(await suggestions("augusta cantwoll"), ["augusta cantwell"]);
    assert.deepEqual(await suggestions("日本"), []);
    assert.deepEqual(await suggestions("!"), []);
  });
});
