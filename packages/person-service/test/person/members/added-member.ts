/** Prints what the service makes of a member that only its table has. `member-table.test.ts` runs it. */
import { registerHooks } from "node:module";
import { jsonDecoder } from "waymark/content";

const row = `deathDate: { kind: "date", filter: "date", label: { en: "Date of death", de: "", fr: "", es: "" }, group: "Name", vcard: "DEATHDATE", words: "died", rule: "" },`;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith("/src/person/members/members.ts")) return loaded;
    return { ...loaded, source: String(loaded.source).replace(/^\} as const;$/m, `${row}\n} as const;`) };
  },
});

const { openPersonService } = await import("../../../src/index.ts");
const { decodeVcards } = await import("../../../src/person/cards/vcard-reader.ts");
const { memberOf } = await import("../../../src/person/members/member-value.ts");
const { ourMembers } = await import("../../../src/person/members/member-list.ts");
const { columnNames } = await import("../../../src/transfer/columns.ts");

const { app, database } = await openPersonService({ database: ":memory:" });
const send = async (target: string, body?: object, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const init = body && { method: "POST", body: JSON.stringify(body) };
  const type = body && { "Content-Type": jsonDecoder.mediaTypes[0] ?? "" };
  const response = await app.fetch(
    new Request(`http://localhost${target}`, { ...init, headers: { ...type, ...headers } }),
  );
  return response.text();
};
const faultOf = (problem: string): string => JSON.parse(problem).errors[0].detail.replace(/\?? Known: .*/, "?");

const [refused, meant] = [
  await send("/person", { name: "Ada", deathDate: "soon" }),
  await send("/person", { name: "A", died: 1 }),
];
await send("/person", { name: "Ada", deathDate: "1852-11-27" });
const vcard = await send("/person/1?format=vcard");
const schema = await send("/schemas/person");
const [read] = await Array.fromAsync(
  decodeVcards([Buffer.from(vcard)] as unknown as AsyncIterable<Uint8Array>, ourMembers),
); // pieces
const document = JSON.parse(await send("/openapi.json"));

process.stdout.write(
  JSON.stringify({
    refused: faultOf(refused),
    meant: faultOf(meant),
    stored: JSON.parse(await send("/person/1")).deathDate,
    filtered: JSON.parse(await send("/person?deathDate[lt]=1900-01-01")).length,
    vcard: vcard.split("\r\n").find((line) => line.startsWith("DEATH")),
    read: memberOf(read?.value, "deathDate"),
    csv: await send("/person?format=csv&fields=name,deathDate"),
    xml: (await send("/person/1?format=xml")).includes("<deathDate>1852-11-27</deathDate>"),
    jsonLd: JSON.parse(await send("/person/1?format=jsonld")).deathDate,
    heading: columnNames(["Date of Death"], new Map(), ourMembers).members[0],
    label: schema.includes('"title":"Date of death"'),
    documented: JSON.stringify(document).includes('"deathDate":'),
  }),
);
await database.close();
