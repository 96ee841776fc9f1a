import assert from "node:assert/strict";
import { it } from "node:test";
import { membersOf } from "../../src/index.ts";
import { asJson, readAll, store } from "../answers.ts";
import { type Answer, describeInMemory, type Service } from "../transports.ts";

const Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

type Pairs = readonly (readonly [name: string, value: string])[];

const send = (service: Service, target: string, fields: Pairs, language = "en"): Promise<Answer> =>
  service.send("POST", target, {
    headers: {
      Accept,
      "Accept-Language": language,
      "Content-Type": "application/x-www-form-urlencoded",
      "Sec-Fetch-Site": "same-origin",
    },
    body: new URLSearchParams(fields.map((pair) => [...pair])).toString(),
  });

const unescaped = (text: string): string =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

const attributesOf = (text: string, input: RegExp): Pairs =>
  Array.from(text.matchAll(input), ([, name = "", value = ""]) => [name, unescaped(value)]);

/** The boxes of a list, and its entity tag. */
async function listOf(service: Service, target: string): Promise<{ readonly boxes: Pairs; readonly tag: Pairs }> {
  const { text } = await service.send("GET", target, { headers: { Accept } });
  return {
    boxes: attributesOf(text, /form="choice" name="(_record)" value="([^"]*)"/g),
    tag: attributesOf(text, /name="(_tag|_list)" value="([^"]*)"/g),
  };
}

/** The fields of the form on the page that shows what would be done. */
const againOf = ({ text }: Answer): Pairs =>
  attributesOf(text, /<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
const sure: Pairs = [["_sure", "yes"]];
const locationOf = ({ status, headers }: Answer): unknown => [status, headers["location"]];

describeInMemory("the form of many people, without a script", (openService) => {
  const service = openService();
  const valuesOf = async (name: string) => (await readAll(service)).map((person) => person[name]);

  it("shows what would be done, and then does it to those who are chosen", async () => {
    for (const name of ["Ada", "Bob", "Eve"]) await store(service, asJson({ name }));
    const { boxes, tag } = await listOf(service, "/person?sort=name");
    const add: Pairs = [["_do", "add"], ["_of", "categories"], ["_value", "Press & <b>"], ...tag, ...boxes.slice(0, 2)];
    const shown = await send(service, "/person", add);
    assert.deepEqual([shown.status, shown.headers["cache-control"]], [200, "no-store"]);
    assert.match(
      shown.text,
      /<h1>Change 2 people\?<\/h1>.*<bdi>Ada<\/bdi>, <bdi>Bob<\/bdi><\/p>.*Categories: “<bdi>Press &amp; &lt;b&gt;<\/bdi>” is added\./s,
    );
    assert.deepEqual(await valuesOf("categories"), [undefined, undefined, undefined]);
    const done = await send(service, "/person", [...add, ["_matched", "2"], ...sure]);
    assert.deepEqual(locationOf(done), [303, "/person?sort=name#changed"]);
    assert.deepEqual(await valuesOf("categories"), [["Press & <b>"], ["Press & <b>"], undefined]);
  });

  it("sets a member as the form of a person does, and takes it away", async () => {
    const { boxes } = await listOf(service, "/person");
    const country: Pairs = [["_do", "set"], ["_member", "address.addressCountry"], ["_to", "uk"], ...boxes];
    const shown = await send(service, "/person", country);
    assert.match(shown.text, /Country becomes “<bdi>United Kingdom<\/bdi>”/);
    assert.equal((await send(service, "/person", [...againOf(shown), ...sure])).status, 303);
    assert.deepEqual((await valuesOf("address"))[2], { addressCountry: "GB" });
    const again = (await listOf(service, "/person")).boxes;
    const without: Pairs = [["_do", "set"], ["_member", "address.addressCountry"], ["_to", ""], ...again.slice(2)];
    assert.match((await send(service, "/person", without)).text, /Country is taken away\./);
    const noDate: Pairs = [["_do", "set"], ["_member", "birthDate"], ["_to", "soon <b>"], ...again];
    const wrong = await send(service, "/person", noDate);
    assert.match(
      wrong.text,
      /becomes “<bdi>soon &lt;b&gt;<\/bdi>”.*3 people cannot be changed like this:.*No\. 1<\/a>: Date of birth <bdi>must be/s,
    );
    assert.ok(!wrong.text.includes("_sure"));
    assert.match(
      (await send(service, "/person", noDate, "de")).text,
      /: Geburtsdatum <bdi>muss ein Datum wie 31\.01\.1950/,
    );
    await send(service, "/person", [...without, ["_matched", "1"], ...sure]);
    assert.deepEqual(await valuesOf("address"), [{ addressCountry: "GB" }, { addressCountry: "GB" }, undefined]);
  });

  it("leaves out those who have changed since they were shown, and says who they are", async () => {
    const { boxes } = await listOf(service, "/person");
    await service.send("PATCH", "/person/2", asJson({ jobTitle: "Clerk" }));
    const set: Pairs = [["_do", "set"], ["_member", "worksFor"], ["_to", "Bank"], ...boxes];
    const shown = await send(service, "/person", set);
    assert.match(
      shown.text,
      /<h1>Change 2 people\?.*<p><bdi>Ada<\/bdi>, <bdi>Eve<\/bdi><\/p>.*<a href="\/person\/2">No\. 2<\/a>: <bdi>has changed since this list was shown/s,
    );
    assert.equal((await send(service, "/person", [...againOf(shown), ...sure])).status, 303);
    assert.deepEqual(await valuesOf("worksFor"), ["Bank", undefined, "Bank"]);
    // A second click sends the same again, which changes nothing.
    const twice = await send(service, "/person", [...againOf(shown), ...sure]);
    assert.match(twice.text, /There is nothing to change.*has changed since this list was shown/s);
    assert.ok(!twice.text.includes("_sure"));
  });

  it("is for all that the list has, as long as that is the list that was shown", async () => {
    const { tag } = await listOf(service, "/person?worksFor=Bank&limit=1");
    const all: Pairs = [["_do", "drop"], ["_of", "categories"], ["_value", "Press & <b>"], ["_all", "yes"], ...tag];
    const shown = await send(service, "/person", all);
    assert.match(shown.text, /Change 1 person\?.*1 person is like this already\./s);
    assert.ok(!shown.text.includes("People have changed"));
    await store(service, asJson({ name: "Kay", worksFor: "Bank", categories: ["Press & <b>"] }));
    for (const fields of [all, [...againOf(shown), ...sure]]) {
      const again = await send(service, "/person", fields);
      assert.match(
        again.text,
        /Change 2 people\?.*role="alert">People have changed since.*“<bdi>Press &amp; &lt;b&gt;<\/bdi>” is taken away/s,
      );
      assert.deepEqual((await valuesOf("categories"))[0], ["Press & <b>"]);
    }
    const now = await send(service, "/person", [...againOf(shown), ...sure]);
    const done = await send(service, "/person", [...againOf(now), ...sure]);
    assert.deepEqual(locationOf(done), [303, "/person?worksFor=Bank&limit=1#changed"]);
    assert.deepEqual(await valuesOf("categories"), [undefined, ["Press & <b>"], undefined, undefined]);
  });

  it("leads to the file of those who are chosen, or of all", async () => {
    const file: Pairs = [
      ["_do", "export"],
      ["_format", "csv"],
      ["_list", "sort=name&limit=2"],
    ];
    const chosen = await send(service, "/person", [...file, ["_record", '1 "x"'], ["_record", '3 "x"']]);
    const { location = "" } = chosen.headers;
    assert.equal(location, "/person?id%5Bin%5D=1,3&format=csv");
    assert.match((await service.send("GET", location)).text, /^id,.*\r\n1,Ada.*\r\n3,Eve/s);
    const all = await send(service, "/person", [...file, ["_all", "yes"]]);
    assert.equal(all.headers["location"], "/person?sort=name&format=csv");
  });

  for (const [what, fields] of [
    ["nobody is chosen", [["_do", "delete"]]],
    [
      "nothing is said",
      [
        ["_do", "typed"],
        ["_record", "1"],
      ],
    ],
    [
      "Enter is pressed in an empty field",
      [
        ["_do", "typed"],
        ["_member", "name"],
        ["_record", "1"],
      ],
    ],
    [
      "no value is given",
      [
        ["_do", "add"],
        ["_of", "categories"],
        ["_value", " "],
        ["_record", "1"],
      ],
    ],
    [
      "the member is not a list",
      [
        ["_do", "add"],
        ["_of", "name"],
        ["_value", "x"],
        ["_record", "1"],
      ],
    ],
  ] as const satisfies readonly (readonly [string, Pairs])[]) {
    it(`says what is missing where ${what === "nothing is said" ? "the member is" : what}`, async () => {
      assert.deepEqual(locationOf(await send(service, "/person", fields)), [303, "/person#incomplete"]);
    });
  }
});

describeInMemory("the form of many people with members of the service's own", (openService) => {
  const service = openService(async () => ({
    members: membersOf({ desk: { type: "integer" }, skills: { type: "array", items: { type: "string" } } }),
  }));

  it("changes the member that is chosen, and leaves the others of its object as they are", async () => {
    const address = { addressLocality: "London", addressCountry: "GB" };
    await store(service, asJson({ name: "Ada", address, custom: { desk: 7, skills: ["maths"] } }));
    for (const [what, member, value, expected] of [
      ["set", "address.addressLocality", "", { address: { addressCountry: "GB" } }],
      ["set", "address.addressCountry", "", { address: undefined }],
      ["set", "custom.desk", "", { custom: { skills: ["maths"] } }],
      ["add", "custom.skills", "C", { custom: { skills: ["maths", "C"] } }],
      ["drop", "custom.skills", "maths", { custom: { skills: ["C"] } }],
      ["drop", "custom.skills", "C", { custom: undefined }],
    ] as const) {
      const { boxes } = await listOf(service, "/person");
      const [name, to] = what === "set" ? ["_member", "_to"] : ["_of", "_value"];
      const shown = await send(service, "/person", [["_do", what], [name, member], [to, value], ...boxes]);
      assert.equal((await send(service, "/person", [...againOf(shown), ...sure])).status, 303, shown.text);
      const [person] = await readAll(service);
      for (const [name, left] of Object.entries(expected)) assert.deepEqual(person?.[name], left, `${what} ${member}`);
    }
  });
});

describeInMemory("the form that removes many people, without a script", (openService) => {
  const service = openService();

  it("has their number typed where they are more than 20", async () => {
    for (let i = 0; i < 21; i++) await store(service, asJson({ name: `Person ${i}` }));
    const { tag } = await listOf(service, "/person");
    const all: Pairs = [["_do", "delete"], ["_all", "yes"], ...tag];
    const shown = await send(service, "/person", all);
    assert.match(shown.text, /<h1>Delete 21 people\?<\/h1>.*<bdi>Person 19<\/bdi>, …<\/p>.*To delete them, type 21:/s);
    const again = againOf(shown);
    const mistyped = await send(service, "/person", [...again, ["_typed", "12"], ...sure]);
    assert.match(mistyped.text, /This is not how many they are\./);
    assert.equal((await readAll(service)).length, 21);
    const done = await send(service, "/person", [...again, ["_typed", "21"], ...sure]);
    assert.deepEqual(locationOf(done), [303, "/person#gone"]);
    assert.deepEqual(await readAll(service), []);
  });
});
