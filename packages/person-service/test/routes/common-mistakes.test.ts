import assert from "node:assert/strict";
import { it } from "node:test";
import { asJson, asXml, type SentProblem, store } from "../tools/answers.ts";
import { describeService, type Message } from "../tools/transports.ts";

// What people get wrong who come from another service, or in a hurry. Each answer says what to do.

const lines = (body: string): Message => ({ headers: { "Content-Type": "application/x-ndjson" }, body });
const csv = (body: string): Message => ({ headers: { "Content-Type": "text/csv" }, body });
const as = (type: string, body: string): Message => ({ headers: { "Content-Type": type }, body });
const withField = (name: string, value: string, message: Message = {}): Message => ({
  ...message,
  headers: { ...message.headers, [name]: value },
});

/** A word that `says` matches stands in the detail, or in that of an error. */
type Mistake = readonly [method: string, target: string, message: Message, status: number, says: RegExp];

// biome-ignore format: a table
const mistakes: readonly Mistake[] = [
  // The query of a list
  ["GET", "/person?count=true", {}, 400, /send the header Prefer: count=exact, and X-Total-Count has the number of all/],
  ["GET", "/person?telephone=1", {}, 400, /is a member that has no filter.* filters on id, /],
  ["GET", "/person?postalCode=10115", {}, 400, /did you mean address\.postalCode\?/],
  ["GET", "/person?addressLocality[prefix]=Ber", {}, 400, /did you mean address\.addressLocality\?/],
  ["GET", "/person?address[postalCode]=10115", {}, 400, /did you mean address\.postalCode\?/],
  ["GET", "/person/changes?since=2026-01-01", {}, 400, /did you mean after\?/],
  ["GET", "/person/changes?name=Ada", {}, 400, /"name" is a member, and only lists have filters\. Known: after, limit, fields, format/],
  ["GET", "/person?id=1,2", {}, 400, /must be a number such as 7, not "1,2"; for one of several write id\[in\]=a,b/],
  ["GET", "/person?name[contains]=Ada", {}, 400, /did you mean \[prefix\]\?/],
  ["GET", "/person?fields=name,birthdate", {}, 400, /did you mean birthDate\?/],
  ["GET", "/person?filter[name]=Ada", {}, 400, /"filter\[name\]" is not known here\. Known: .* filters on id, /],
  // The path, the method and the type
  ["GET", "/persons", {}, 404, /Nothing is served here\.$/],
  ["GET", "/person/", {}, 404, /Nothing is served here\. The path without the slash at its end is served\./],
  ["GET", "//person", {}, 404, /Nothing is served here\. The path with one slash in the place of two is served\./],
  ["GET", "/Person", {}, 404, /Nothing is served here\. The path in lower case is served\./],
  ["GET", "//persons", {}, 404, /Nothing is served here\.$/],
  ["GET", "/person.csv", {}, 404, /The path without "\.csv" is served: name the representation by Accept: text\/csv or \?format=csv\./],
  ["GET", "/person.vcf", {}, 404, /without "\.vcf" is served: name the representation by Accept: text\/vcard\S* or \?format=vcard\./],
  ["GET", "/person.xlsx", {}, 404, /Nothing is served here\.$/],
  ["GET", "/hello-world.txt", {}, 404, /by Accept: text\/plain\.$/],
  ["GET", "/person/1.vcf", {}, 400, /not an integer.* Name a representation by Accept, or by \?format=…, and not by an extension\./],
  ["GET", "/person/01", {}, 400, /"01" has a zero in front: send the integer without it\./],
  ["DELETE", "/person", {}, 405, /DELETE does not apply here; GET, HEAD, POST, PATCH and OPTIONS do/],
  ["GET", "/person/1", withField("Accept", "text/csv"), 406, /available here: application\/json, /],
  ["POST", "/person", as("application/x-www-form-urlencoded", '{"name":"Ada"}'), 415, /here it can be application\/json.* If it is JSON, .*; for curl, -H 'Content-Type: application\/json'\./],
  ["POST", "/person", as("multipart/form-data; boundary=a", "--a--"), 415, /Send a file as the content itself, with its type; for curl, by --data-binary @FILE/],
  ["POST", "/person", as("", '{"name":"Ada"}'), 415, /If it is JSON, add the header Content-Type: application\/json\./],
  ["POST", "/person", as("text/plain", '{"name":"Ada"}'), 415, /Content-Type is "text\/plain"; here it can be application\/json/],
  ["PATCH", "/person/1", asJson([{ op: "remove", path: "/email" }]), 400, /send a JSON Patch as application\/json-patch\+json/],
  ["PUT", "/person/1", withField("If-Match", "1-json", asJson({ name: "Ada" })), 412, /no quotation marks: send "1-json", with them/],
  ["PUT", "/person/1", withField("If-Match", 'W/"1-json"', asJson({ name: "Ada" })), 412, /is weak, and never matches: send "1-json", without/],
  ["POST", "/person?dry-run=true", asJson({ name: "Ada" }), 400, /"dry-run" is not known here: one record takes no parameters; an array of records does/],
  ["POST", "/person/1", asJson({ name: "Ada" }), 409, /PUT replaces it; POST to the collection creates another/],
  ["PUT", "/person/1", asJson({ id: 2, name: "Ada" }), 400, /is set by the server; send 1, or leave it out/],
  ["PATCH", "/person/1", as("application/json-patch+json", '{"name":"Ada"}'), 400, /must be an array of operations/],
  // The content
  ["POST", "/person", asJson("null"), 400, /must be an object with members such as id and name, not null/],
  ["POST", "/person", asJson("{'name':'Ada'}"), 400, /member name in double quotes.*single quote at line 1, column 2/],
  ["POST", "/person", asJson(String({ name: "Ada" })), 400, /^Send JSON\.stringify\(…\): the content is the text of an object in JavaScript, not JSON, at line 1, column 1\.$/],
  ["POST", "/person", asJson({ firstName: "Ada" }), 400, /did you mean givenName\? Known: id, name, /],
  ["POST", "/person", asJson({ name: "Ada", birthDate: "10.12.1815" }), 400, /must be.*YYYY-MM-DD/],
  ["POST", "/person", asJson({ name: "Ada", address: "London" }), 400, /must be an object with members such as streetAddress and addressLocality, not a string/],
  ["POST", "/person", asJson({ name: "Ada", address: { country: "UK" } }), 400, /did you mean addressCountry\?/],
  ["POST", "/person", asXml("<person><name>Ada</nam></person>"), 400, /The end tag "<\/nam>" does not match the open element at line 1, column 23/],
  ["POST", "/person", lines('{"name":"Ada"}{"name":"Bob"}'), 400, /Expected nothing more after the value.*line of its own, and curl keeps the ends of lines with --data-binary/],
  ["POST", "/person", lines('[{"name":"Ada"}]'), 400, /must be an object.*not an array/],
  ["POST", "/person", csv("First Name,E-mail\nAda,a@b\n"), 400, /givenName/],
  ["POST", "/person", asJson({ name: "Ada", identifier: "taken" }), 409, /another record/i],
];

describeService("a common mistake", (openService) => {
  const service = openService();

  it("finds a record to try it on", async () => {
    assert.equal(await store(service, asJson({ name: "Ada", identifier: "taken" })), 1);
  });

  for (const [method, target, message, status, says] of mistakes) {
    const sent = String(message.body ?? Object.entries(message.headers ?? {}).join() ?? "").slice(0, 60);
    it(`is answered with what to do: ${method} ${target} ${sent}`, async () => {
      const answer = await service.send(method, target, message);
      assert.equal(answer.status, status, answer.text);
      const { detail = "", errors = [] }: SentProblem = JSON.parse(answer.text);
      assert.match([detail, ...errors.map((error) => error.detail)].join("\n"), says);
    });
  }
});
