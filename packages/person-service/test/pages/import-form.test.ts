import assert from "node:assert/strict";
import { it } from "node:test";
import { readAll } from "../answers.ts";
import { type Answer, describeOverSocket, describeService, type Service } from "../transports.ts";

const Accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const boundary = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

type Fields = Readonly<Record<string, string>>;

/** A part of a form, as browsers send it. */
const part = (name: string, text: string, fileName?: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${fileName === undefined ? "" : `; filename="${fileName}"\r\nContent-Type: text/csv`}\r\n\r\n${text}\r\n`;
const end = `--${boundary}--\r\n`;

/** What a browser sends for the form of the import. */
const form = (text: string, matched = "on-match=skip", fileName = "people.csv"): string =>
  `${part("_matched", matched)}${part("file", text, fileName)}${end}`;

const send = (service: Service, body: string, target: string, headers: Fields = {}): Promise<Answer> =>
  service.send("POST", target, {
    headers: {
      Accept,
      "Content-Type": `multipart/form-data; boundary=${boundary}`,
      "Sec-Fetch-Site": "same-origin",
      ...headers,
    },
    body,
  });

const check = "/person?import=check";
const store = "/person?import";

describeService("the form of an import", (openService) => {
  const service = openService();
  const names = async () => (await readAll(service)).map(({ name }) => name);

  it("says what is in a file and stores nobody, and stores the file", async () => {
    const file = form("Name;E-Mail\r\nAda;ada@example.org\r\n\r\nJörg;\r\n");
    const judged = await send(service, file, check);
    assert.deepEqual([judged.status, judged.headers["cache-control"]], [200, "no-store"]);
    assert.match(judged.text, /people\.csv<\/bdi>: 2 people can be stored\..*choose the file once more/s);
    assert.deepEqual(await names(), []);
    const stored = await send(service, file, store);
    assert.deepEqual([stored.status, stored.headers["location"]], [303, "/person?import=2"]);
    const shown = await service.send("GET", "/person?import=2", { headers: { Accept } });
    assert.match(shown.text, /2 people stored\./);
    assert.deepEqual(await names(), ["Ada", "Jörg"]);
  });

  it("shows a line for each column of a file, and for no more than a file can have", async () => {
    const columns = part("_columns", `[${"{},".repeat(20_000)}{}]`);
    const { status, text } = await send(service, `${columns}${form("\u0000")}`, check);
    assert.deepEqual([status, text.match(/name="_member"/g)?.length], [400, 1_000]);
  });

  it("stores nobody twice where it is sent twice", async () => {
    const again = await send(service, form("Name;E-Mail\nAda;ada@example.org\n"), store);
    assert.deepEqual([again.status, again.headers["location"]], [303, "/person?import=0"]);
    const judged = await send(
      service,
      form("Name;E-Mail;Job title\nAda;ada@example.org;Poet\n", "on-match=refuse"),
      check,
    );
    assert.match(judged.text, /0 people can be stored, and 1 cannot:/);
    assert.match(judged.text, /<option value="on-match=refuse" selected>/);
  });

  it("names the lines that are wrong, and stores all or nobody", async () => {
    const file = form("Name;Birthday\nEve;1990-01-31\nBob;soon\n", "");
    const judged = await send(service, file, check);
    assert.match(judged.text, /1 person can be stored, and 1 cannot:.*Line 3: Date of birth <bdi>must be a date/s);
    const refused = await send(service, file, store);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Nothing was stored: there is 1 fault on line 3\..*Line 3: Date of birth/s);
    assert.deepEqual(await names(), ["Ada", "Jörg"]);
  });

  it("reads the kind of a file from its name", async () => {
    const vcard = "BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Grace\r\nEND:VCARD\r\n";
    const judged = await send(service, form(vcard, "", "a & %22b%22.vcf"), check);
    assert.match(judged.text, /1 person can be stored\./);
    const spreadsheet = await send(service, form("PK\x03\x04\0\0", "", "people.xlsx"), check);
    assert.equal(spreadsheet.status, 400);
    assert.match(spreadsheet.text, /To import a spreadsheet, save it as CSV/);
  });

  const bad: Readonly<Record<string, readonly [body: string, said: RegExp]>> = {
    "no chosen file": [form("", "", ""), /Choose a file first/],
    "an empty file": [form(""), /no header to name the columns/],
    "a file with nobody in it": [form("Name\n"), /people\.csv<\/bdi> has no people in it/],
    "a column that is not known": [
      form("Name;Shoe\nAda;42\n"),
      /columns that are not known: &quot;Shoe&quot;|<th scope="row">Shoe<\/th>/,
    ],
    "no file": [`${part("_matched", "")}${end}`, /has no file in the field &quot;file&quot;/],
    "a file in another field": [part("photo", "x", "x.csv") + end, /a file in a field other than &quot;file&quot;/],
    "two files": [part("file", "Name\nAda\n", "a.csv") + form("Name\nEve\n"), /has something after its file/],
    "a cut file": [form("Name\nEve\nMallory\n").slice(0, -50), /The form ended before its last boundary/],
    "a cut head": [part("file", "", "a.csv").slice(0, 60), /The form ended before its last boundary/],
    "long fields": [
      Array.from({ length: 900 }, (_, i) => part(`f${i}`, "x".repeat(300))).join("") + form("Name\nEve\n"),
      /fields of more than 262144 bytes together/,
    ],
    "many fields": [Array.from({ length: 1_001 }, (_, i) => part(`f${i}`, "")).join("") + end, /too many fields/],
    "a part without a name": [`--${boundary}\r\nContent-Type: text/csv\r\n\r\nx\r\n${end}`, /no Content-Disposition/],
    "another boundary": ["--other\r\n\r\n", /The form ended before its last boundary/],
    nothing: ["", /The form ended before its last boundary/],
  };
  for (const [name, [body, said]] of Object.entries(bad)) {
    it(`says what is wrong with ${name}, and stores nobody`, async () => {
      const before = await names();
      for (const target of [check, store]) {
        const { status, text, headers } = await send(service, body, target);
        if (status === 303)
          assert.deepEqual([name, headers["location"]], ["a file with nobody in it", "/person?import=0"]);
        else assert.match(text, said);
        assert.ok([200, 303, 400].includes(status), `${status}`);
      }
      assert.deepEqual(await names(), before);
    });
  }

  it("is taken from a page of the service only, and from a browser", async () => {
    const file = form("Name\nMallory\n");
    assert.equal((await send(service, file, store, { "Sec-Fetch-Site": "cross-site" })).status, 403);
    assert.equal((await send(service, file, store, { Accept: "*/*" })).status, 415);
    assert.equal((await send(service, file, "/person", { Accept: "application/json" })).status, 415);
    assert.ok(!(await names()).includes("Mallory"));
  });
});

describeOverSocket("a long form of an import", (openService) => {
  const service = openService(async () => ({ bulk: { maxBytes: 100_000 } }));

  it("is read as it arrives, whatever its pieces", async () => {
    const lines = Array.from({ length: 4_000 }, (_, i) => `Person ${i}\r`).join("\n");
    const { status, headers } = await send(
      service,
      form(`Name\r\n${lines}\r\n--${boundary.slice(0, -1)}\r\n`, ""),
      store,
    );
    assert.deepEqual([status, headers["location"]], [303, "/person?import=4001"]);
  });

  it("is refused where its file is too large", async () => {
    for (const length of [100_001, 400_000]) {
      const { status, text } = await send(service, form(`Name\n${"x".repeat(length)}`), check);
      assert.equal(status, 413);
      assert.match(text, /is too large for this page/);
    }
  });
});
