import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/folder.ts";
import { openAccess } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";
import { asJson, store } from "../answers.ts";
import { type Answer, describeService, type Service } from "../transports.ts";

const Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const type = "application/x-www-form-urlencoded";

type Fields = Readonly<Record<string, string>>;

/** What a browser sends for a page of the service. */
const sendForm = (service: Service, target: string, fields: Fields, headers: Fields = {}): Promise<Answer> =>
  service.send("POST", target, {
    headers: { Accept, "Content-Type": type, "Sec-Fetch-Site": "same-origin", ...headers },
    body: new URLSearchParams(fields).toString(),
  });

/** The fields of the forms in an answer, as a browser would send them. */
function fieldsOf({ text }: Answer, form: string): Record<string, string> {
  const [, content = ""] = new RegExp(`${form}.*?>(.*?)</form>`, "s").exec(text) ?? assert.fail(text);
  const inputs = content.matchAll(/<(?:input|textarea) [^>]*?name="([^"]*)"(?: value="([^"]*)")?[^>]*>/g);
  return Object.fromEntries(
    Array.from(inputs, ([whole, name = "", value]) => [
      name,
      (value ?? / value="([^"]*)"/.exec(whole)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&"),
    ]),
  );
}

const editor = '<form class="editor';

describeService("a form of a person", (openService) => {
  const service = openService();
  const page = (target: string): Promise<Answer> => service.send("GET", target, { headers: { Accept } });
  const read = async (target: string): Promise<Record<string, unknown>> => {
    const { createdAt, updatedAt, id, ...members } = JSON.parse((await service.send("GET", target)).text);
    return members;
  };

  it("stores a person, who is then shown, and once if it is sent twice", async () => {
    const blank = fieldsOf(await page("/person?new"), editor);
    const fields = { ...blank, name: " Grace\u00a0", description: "Two\r\nlines", "address.addressCountry": "uk" };
    const first = await sendForm(service, "/person", fields);
    assert.equal(first.status, 303);
    assert.match(first.headers["location"] ?? "", /^\/person\/\d+#stored$/);
    const second = await sendForm(service, "/person", fields);
    assert.deepEqual([second.status, second.headers["location"]], [303, first.headers["location"]]);
    const stored = await read(first.headers["location"]?.split("#")[0] ?? "");
    assert.deepEqual(stored, { name: "Grace", description: "Two\nlines", address: { addressCountry: "GB" } });
    const other = await sendForm(service, "/person", { ...fields, name: "Grace Hopper" });
    assert.equal(other.status, 422);
    assert.match(other.text, / value="Grace Hopper".*has stored a person already/s);
    assert.notEqual(fieldsOf(other, editor)["_key"], blank["_key"], "the next attempt stores another person");
  });

  it("is not there for a person who is too long to be sent by it", async () => {
    const vCardProps = Array.from({ length: 40 }, (_, i) => `X-NOTE${i}:${"a".repeat(3_500)}`);
    const id = await store(service, asJson({ name: "Ada", vCardProps }));
    const { text } = await page(`/person/${id}`);
    assert.match(text, /This entry is too long to be changed here\. Programs can still change it\./);
    assert.doesNotMatch(text, /<form class="editor|href="#edit"/);
    const { headers } = await service.send("PATCH", `/person/${id}`, asJson({ vCardProps: vCardProps.slice(0, 20) }));
    assert.match(headers["etag"] ?? "", /json/);
    const change = { ...fieldsOf(await page(`/person/${id}`), editor), jobTitle: "Poet" };
    assert.equal((await sendForm(service, `/person/${id}`, change)).status, 303);
  });

  it("has the country by its name in the language of its reader, and takes that back", async () => {
    const id = await store(service, asJson({ name: "Ada", address: { addressCountry: "NO" } }));
    const shown = await service.send("GET", `/person/${id}`, { headers: { Accept, "Accept-Language": "de" } });
    const fields = fieldsOf(shown, editor);
    assert.equal(fields["address.addressCountry"], "Norwegen");
    await sendForm(service, `/person/${id}`, { ...fields, jobTitle: "Clerk" });
    assert.deepEqual((await read(`/person/${id}`))["address"], { addressCountry: "NO" });
    await sendForm(service, `/person/${id}`, { ...fields, "address.addressCountry": "Deutschland" });
    assert.deepEqual((await read(`/person/${id}`))["address"], { addressCountry: "DE" });
  });

  it("takes a website without its scheme, as an import does", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    const before = fieldsOf(await service.send("GET", `/person/${id}`, { headers: { Accept } }), editor);
    await sendForm(service, `/person/${id}`, { ...before, url: "www.example.org" });
    const fields = fieldsOf(await service.send("GET", `/person/${id}`, { headers: { Accept } }), editor);
    await sendForm(service, `/person/${id}`, { ...fields, urls: "ada.example (work)" });
    assert.equal((await read(`/person/${id}`))["url"], "https://www.example.org");
    assert.deepEqual((await read(`/person/${id}`))["urls"], [{ value: "https://ada.example", contexts: ["work"] }]);
  });

  it("changes the further values and the first one apart from each other", async () => {
    const { headers } = await sendForm(service, "/person", {
      name: "Ada",
      email: "a@x.example",
      emails: "b@x.example",
    });
    const target = headers["location"]?.split("#")[0] ?? "";
    const shown = async () => fieldsOf(await service.send("GET", target, { headers: { Accept } }), editor);
    const emails = async () => {
      const { email, emails } = await read(target);
      return [email, emails];
    };
    assert.deepEqual(await emails(), ["a@x.example", [{ value: "b@x.example" }]]);
    await sendForm(service, target, { ...(await shown()), email: "c@x.example", emails: "b@x.example" });
    assert.deepEqual(await emails(), ["c@x.example", [{ value: "b@x.example" }]]);
    await sendForm(service, target, { ...(await shown()), emails: "" });
    assert.deepEqual(await emails(), ["c@x.example", undefined]);
  });

  it("is shown again with what was typed, and what is wrong with it", async () => {
    const { status, text, headers } = await sendForm(service, "/person", {
      jobTitle: `<"Clerk">`,
      birthDate: "soon",
      "address.addressCountry": "Nowhere",
    });
    assert.deepEqual([status, headers["cache-control"]], [400, "no-store"]);
    assert.match(text, /name="jobTitle"[^>]* value="&lt;&quot;Clerk&quot;&gt;"/);
    assert.match(text, /Name is required where there is no Given name or Family name\./);
    assert.match(text, /name="birthDate"[^>]* aria-invalid="true"[^>]* value="soon"/);
    assert.match(text, /Country must be one of the list, or two capital letters such as NO\./);
    assert.match(text, /Not right yet: <a href="#f-name">Name<\/a>, <a href="#f-birthDate">Date of birth<\/a>/);
  });

  it("says once what is wrong, where a list gets the value as well", async () => {
    const address = { addressCountry: "GB" };
    const id = await store(service, asJson({ name: "Ada", email: "ada@x.example", address }));
    const shown = fieldsOf(await page(`/person/${id}`), editor);
    const wrong = { "address.addressCountry": "Nowhere", email: "ada" };
    const { text } = await sendForm(service, `/person/${id}`, { ...shown, ...wrong });
    const places = Array.from(text.matchAll(/<a href="#f-([^"]*)">/g), ([, name]) => name);
    assert.deepEqual(places, ["email", "address.addressCountry"]);
    const { text: inList } = await sendForm(service, `/person/${id}`, { ...shown, emails: "ada" });
    assert.match(inList, /<a href="#f-emails">[^<]*<\/a><\/div>/);
  });

  it("says which value another person has", async () => {
    await store(service, asJson({ name: "Ada", identifier: "A-1" }));
    const { status, text } = await sendForm(service, "/person", { name: "Eve", identifier: "A-1" });
    assert.equal(status, 409);
    assert.match(text, /Identifier is already used by another person\./);
  });

  it("changes only what was changed in it, and a name that was made of its parts", async () => {
    const id = await store(service, asJson({ givenName: "Ada", familyName: "Byron", address: { postalCode: "W1" } }));
    const fields = fieldsOf(await page(`/person/${id}`), editor);
    const answer = await sendForm(service, `/person/${id}`, {
      ...fields,
      familyName: "Lovelace",
      "address.postalCode": "",
    });
    assert.deepEqual([answer.status, answer.headers["location"]], [303, `/person/${id}#saved`]);
    assert.deepEqual(await read(`/person/${id}`), {
      name: "Ada Lovelace",
      givenName: "Ada",
      familyName: "Lovelace",
    });
  });

  it("keeps what others have changed since, be it two days old", async () => {
    const id = await store(service, asJson({ name: "Ada", jobTitle: "Clerk", address: { postalCode: "W1" } }));
    const fields = fieldsOf(await page(`/person/${id}`), editor);
    await service.send(
      "PUT",
      `/person/${id}`,
      asJson({ name: "Ada", worksFor: "Bank", address: { postalCode: "W1", addressLocality: "London" } }),
    );
    const older = { ...fields, _tag: '"1-html-of-an-older-version"', jobTitle: "Clerk", "address.postalCode": "" };
    const { status } = await sendForm(service, `/person/${id}`, { ...older, telephone: "12" });
    assert.equal(status, 303);
    assert.deepEqual(await read(`/person/${id}`), {
      name: "Ada",
      worksFor: "Bank",
      telephone: "12",
      address: { addressLocality: "London" },
    });
  });

  it("shows both versions of what two have changed, and stores the chosen one", async () => {
    const id = await store(service, asJson({ name: "Ada", jobTitle: "Clerk" }));
    const fields = fieldsOf(await page(`/person/${id}`), editor);
    await service.send("PUT", `/person/${id}`, asJson({ name: "Ada", jobTitle: "Poet" }));
    const both = await sendForm(service, `/person/${id}`, { ...fields, jobTitle: "Countess" });
    assert.equal(both.status, 412);
    assert.match(both.text, /value="Countess" checked><bdi>Countess<\/bdi><span class="side"> \(yours\)/);
    assert.match(both.text, /value="Poet"><bdi>Poet<\/bdi><span class="side"> \(theirs\)/);
    const { jobTitle: _, ...controls } = fieldsOf(both, '<form class="conflict');
    const again = await sendForm(service, `/person/${id}`, { ...controls, jobTitle: "Countess", _again: "form" });
    assert.deepEqual([again.status, fieldsOf(again, editor)["jobTitle"]], [412, "Countess"]);
    assert.equal((await read(`/person/${id}`))["jobTitle"], "Poet", "to look again changes nothing");
    assert.equal((await sendForm(service, `/person/${id}`, { ...controls, jobTitle: "Countess" })).status, 303);
    assert.equal((await read(`/person/${id}`))["jobTitle"], "Countess");
  });

  it("keeps what was typed of a person who is gone, and makes another person of it", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    const fields = fieldsOf(await page(`/person/${id}`), editor);
    await service.send("DELETE", `/person/${id}`);
    const answer = await sendForm(service, `/person/${id}`, { ...fields, jobTitle: "Countess" });
    assert.equal(answer.status, 404);
    assert.match(answer.text, /This person was removed meanwhile/);
    const { status } = await sendForm(service, "/person", fieldsOf(answer, editor));
    assert.equal(status, 303);
  });

  it("removes a person, but not one that was changed since", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    const fields = fieldsOf(await page(`/person/${id}`), '<div id="remove".*?<form');
    await service.send("PUT", `/person/${id}`, asJson({ name: "Ada King" }));
    const kept = await sendForm(service, `/person/${id}`, fields);
    assert.deepEqual([kept.status, kept.headers["location"]], [303, `/person/${id}#changed`]);
    const renewed = { ...fieldsOf(await page(`/person/${id}`), '<div id="remove".*?<form'), _list: "?q=ada" };
    for (let times = 0; times < 2; times++) {
      const { status, headers } = await sendForm(service, `/person/${id}`, renewed);
      assert.deepEqual([status, headers["location"]], [303, "/person?q=ada#deleted"]);
    }
    assert.equal((await service.send("GET", `/person/${id}`)).status, 404);
  });

  for (const list of ["//evil.example", "?q=a#b", "?a\nb", "@evil.example"]) {
    it(`leads to no other place than the list: ${JSON.stringify(list)}`, async () => {
      const { headers } = await sendForm(service, "/person/99999", { _method: "DELETE", _tag: "*", _list: list });
      assert.equal(headers["location"], "/person#deleted");
    });
  }

  for (const [what, headers] of [
    ["a page of another site", { "Sec-Fetch-Site": "cross-site" }],
    ["a page of the same site", { "Sec-Fetch-Site": "same-site" }],
    ["an older browser on another origin", { "Sec-Fetch-Site": "", Origin: "https://evil.example" }],
  ] as const) {
    it(`is refused of ${what}`, async () => {
      const id = await store(service, asJson({ name: "Ada" }));
      const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ""));
      for (const [target, fields] of [
        ["/person", { name: "Eve" }],
        [`/person/${id}`, { _method: "DELETE", _tag: "*" }],
      ] as const) {
        const answer = await service.send("POST", target, {
          headers: { Accept, "Content-Type": type, Host: "localhost", ...sent },
          body: new URLSearchParams(fields).toString(),
        });
        assert.equal(answer.status, 403);
      }
      assert.equal((await service.send("GET", `/person/${id}`)).status, 200);
    });
  }

  it("is not for programs", async () => {
    for (const accept of ["*/*", "application/json"]) {
      const { status } = await sendForm(service, "/person", { name: "Ada" }, { Accept: accept });
      assert.equal(status, 415);
    }
    const id = await store(service, asJson({ name: "Ada" }));
    assert.equal(
      (await sendForm(service, `/person/${id}`, { name: "Ada" })).status,
      409,
      "without a method it is a POST",
    );
  });

  it("survives what no form of the service sends", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    for (const _before of ["", "{", "7", "null", '{"name":{}}', "[]"]) {
      const { status } = await sendForm(service, `/person/${id}`, {
        _method: "PATCH",
        _tag: "x",
        _before,
        name: "Ada",
      });
      assert.equal(status, 303, _before);
    }
    assert.equal((await sendForm(service, "/person", { name: "x".repeat(300_000) })).status, 413);
    assert.equal((await sendForm(service, `/person/x`, { _method: "PATCH", name: "Ada" })).status, 400);
  });
});

describe("a form of a person, with an access file", () => {
  describeService("has the rights of its sender", (openService) => {
    const folder = openFolder("forms");
    const user = (name: string, scopes: readonly string[]) => ({ name, password: quickHash("x"), scopes });
    const file = folder.write("access.json", {
      rules: [
        { methods: ["GET"], path: "/person/**", scopes: ["read"] },
        { methods: ["POST"], path: "/person/**", scopes: ["send"] },
        { methods: ["PATCH"], path: "/person/**", scopes: ["change"] },
        { methods: ["DELETE"], path: "/person/**", scopes: ["remove"] },
      ],
      users: [
        user("reader", ["read", "send"]),
        user("editor", ["read", "change"]),
        user("remover", ["remove"]),
        user("blind", ["change"]),
      ],
    });
    const service = openService(async () => ({ access: (await openAccess({ file })).filter }));
    const as = async (name: string): Promise<Fields> => {
      const { headers } = await sendForm(service, "/sign-in", { name, password: "x" });
      return { Cookie: (headers["set-cookie"] ?? "").split(";")[0] ?? "" };
    };
    const stored = async (name: string): Promise<string> => {
      const { headers } = await sendForm(service, "/person", { name }, await as("reader"));
      return headers["location"]?.split("#")[0] ?? "";
    };
    const patch = { _method: "PATCH", _tag: "*", _before: '{"name":"Ada"}', name: "Ada", jobTitle: "Countess & Co" };
    const removal = { _method: "DELETE", _tag: "*" };

    it("which are those to change and to remove, whoever may send a POST", async () => {
      const target = await stored("Ada");
      for (const [name, fields, status] of [
        ["reader", patch, 403],
        ["reader", removal, 403],
        ["editor", patch, 303],
        ["editor", removal, 403],
        ["blind", { ...patch, jobTitle: "Poet" }, 303],
        ["remover", patch, 403],
        ["remover", removal, 303],
      ] as const) {
        assert.equal((await sendForm(service, target, fields, await as(name))).status, status, name);
      }
    });

    it("and shows nothing of a person to those who may not read", async () => {
      const target = await stored("Ada Secret");
      const answer = await sendForm(service, target, { ...patch, birthDate: "x" }, await as("blind"));
      assert.equal(answer.status, 403);
      const stale = await sendForm(service, target, { ...patch, _tag: '"0"' }, await as("blind"));
      assert.equal(stale.status, 412);
      for (const { text } of [answer, stale]) assert.doesNotMatch(text, /Secret/);
    });

    it("and is kept where the session is over, to be sent again after signing in", async () => {
      const target = await stored("Ada");
      const refused = await sendForm(service, target, patch);
      assert.equal(refused.status, 401);
      assert.match(refused.text, /<a href="\/sign-in" target="_blank">/);
      const kept = fieldsOf(refused, `<form method="post" action="${target}"`);
      assert.deepEqual(kept, patch);
      assert.equal((await sendForm(service, target, kept, await as("editor"))).status, 303);
    });
  });
});
