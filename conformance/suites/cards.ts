import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Service, startService } from "../service.ts";
import type { Outcome, Suite } from "../suite.ts";

type Decided = NonNullable<Suite["decided"]>;

/** Makes a suite of the cards of a repository: each file of them is imported, and what is stored comes back from vCards. */
function cardsOf(repository: string, commit: string, decided: Decided = {}): Suite {
  return {
    name: repository,
    subject: "vCard",
    tries: "import of each file of cards, and back from vCard",
    source: { kind: "repository", url: `https://github.com/${repository}`, commit },
    decided,
    async run(folder) {
      const files = (await readdir(folder, { recursive: true })).filter((file) => /\.vcf$/i.test(file)).sort();
      const outcomes: Outcome[] = [];
      for (const file of files) {
        const fault = await faultOf(await readFile(join(folder, file)));
        outcomes.push({ name: file.replaceAll("\\", "/"), fault });
      }
      return outcomes;
    },
  };
}

const cutOff = "a card without its end is refused, with its line: what it lacks may be more than that";

export const cards: readonly Suite[] = [
  cardsOf("stalwartlabs/calcard", "b6dad715e2af2ae2f06dcaf44258a7a4fb43b097", {
    "resources/vcard/028.vcf": cutOff,
    "resources/vcard/056.vcf": cutOff,
  }),
  cardsOf("apple/ccs-caldavtester", "bed21e5924275552c1561febc8203a9f194cf737"),
  cardsOf("mangstadt/ez-vcard", "2396882d93f2da1eaab405d637fedeff582b2b66"),
  cardsOf("lucc/khard", "214becc0ebee2dbbf21817602f8167cb356f7cd6", {
    "test/fixture/broken.abook/unparsable.vcf": cutOff,
    "test/fixture/vcards/unparsable.vcf": cutOff,
  }),
  cardsOf("Kozea/Radicale", "f02ff33d826307ff3198fb75f61c114490587be0"),
  cardsOf("roundcube/roundcubemail", "28b44419ee44c8749a85e7183325055c2cf68a4d"),
  cardsOf("kewisch/ical.js", "926193a28ed90deeabe34d6be178d7d2a53ae6e3"),
  cardsOf("bitfireAT/vcard4android", "7dbab269865e99eb4f46a25313d6397b51cd6ba8"),
  cardsOf("nuovo/vCard-parser", "33349c6cc66ce895c48950186ae6ec285e1ffbb5"),
  cardsOf("nextcloud/contacts", "87b8ee02f36730c8b1f99333ecea85c4d7e08496"),
  cardsOf("py-vobject/vobject", "680ed60eed72d42fe2cbed62ca767320e433a8b4"),
];

/** Says what is refused of a file of cards though it says who somebody is, or does not come back. */
async function faultOf(content: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
  await using service = await startService();
  const { status, text } = await importOf(service, content);
  if (status !== 200) return /^BEGIN:VCARD/im.test(Buffer.from(content).toString()) ? text : undefined;
  const { errors, found, stored } = JSON.parse(text);
  const lines = new TextDecoder(charsets[found.charset]).decode(content).split(/(?<=\n)/);
  for (const { line, pointer, detail } of errors) {
    const card =
      lines
        .slice(line - 1)
        .join("")
        .split(/^END:VCARD/im)[0] ?? "";
    if (saysWho.test(card)) return `line ${line} ${pointer} ${detail}`;
  }
  if (stored === 0) return undefined;
  const people = await peopleOf(service);
  for (const version of ["4.0", "3.0"]) {
    await using other = await startService();
    const list = await service.send("GET", "/person", { Accept: `text/vcard;version=${version}` });
    await importOf(other, new TextEncoder().encode(list.text));
    const back = await peopleOf(other);
    for (const [i, person] of people.entries()) {
      const fault = difference(comparable(person, version), comparable(back[i] ?? {}, version));
      if (fault !== undefined) return `in ${version}, ${fault}`;
    }
  }
  return undefined;
}

/** A property with a value by which a person can be called. */
const saysWho = /^(?:[\w-]+\.)?(?:FN|N|NICKNAME|ORG|EMAIL|TEL)(?:;[^:\r\n]*)?:[;,\s]*[^;,\s]/im;

const charsets: Readonly<Record<string, string>> = {
  "UTF-8": "utf-8",
  "UTF-16 LE": "utf-16le",
  "UTF-16 BE": "utf-16be",
  "Windows-1252": "windows-1252",
};

const importOf = (service: Service, content: Uint8Array<ArrayBuffer>) =>
  service.send(
    "POST",
    "/person",
    { "Content-Type": "application/octet-stream; name=cards.vcf", Prefer: "handling=lenient" },
    content,
  );

async function peopleOf(service: Service): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { text } = await service.send("GET", "/person?sort=id");
  return JSON.parse(text).map(({ createdAt: _, updatedAt: __, ...person }: Record<string, unknown>) => person);
}

/** What a person says in any order; in version 3.0 without the voice that nearly every telephone has there. */
function comparable(person: Readonly<Record<string, unknown>>, version: string): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(person);
  const voice = /,"features":\["voice"\]|"voice",|,"voice"(?=\])|;TYPE=voice(?=:)|,voice\b|(?<=TYPE=)voice,/g;
  const { vCardProps = [], ...others } = JSON.parse(version === "3.0" ? text.replaceAll(voice, "") : text);
  return { ...others, vCardProps: vCardProps.filter((line: string) => !/^\w+:$/.test(line)).sort() };
}

function difference(
  person: Readonly<Record<string, unknown>>,
  back: Readonly<Record<string, unknown>>,
): string | undefined {
  const name = Object.keys({ ...person, ...back }).find((each) => !isDeepStrictEqual(person[each], back[each]));
  return name && `${name} is ${JSON.stringify(back[name])} and was ${JSON.stringify(person[name])}`;
}
