import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { openPersonService, type PersonService } from "../../src/index.ts";
import { openSourceFile } from "../../src/transfer/source-file.ts";
import { fileOf, google, olderOutlook, outlook, thunderbird } from "../tools/programs/program-files.ts";

const folder = openFolder("files-of-people");

/** How programs of a country head their columns, and write dates. */
// biome-ignore format: a table
const tables: Readonly<Record<string, readonly [headings: readonly string[], date: string]>> = {
  English: [["First Name", "Last Name", "Birthday", "E-mail Address", "Mobile Phone", "Home City", "Country"], "12/31/1990"],
  German: [["Vorname", "Nachname", "Geburtstag", "E-Mail-Adresse", "Mobiltelefon", "Ort", "Land"], "31.12.1990"],
  French: [["Prénom", "Nom", "Date de naissance", "Courriel", "Téléphone", "Ville", "Pays"], "31/12/1990"],
  Spanish: [["Nombre", "Apellidos", "Fecha de nacimiento", "Correo electrónico", "Teléfono", "Ciudad", "País"], "31-12-90"],
  Google: [
    ["Given Name", "Family Name", "Birthday", "E-mail 1 - Value", "Phone 1 - Value", "Address 1 - City", "Address 1 - Country"],
    "1990-12-31",
  ],
};

const separators = [",", ";", "\t", "|"] as const;

/** The bytes in which a spreadsheet writes a text. */
const charsets: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "Windows-1252": (text) => Buffer.from(text, "latin1"),
};

function contentOf(headings: readonly string[], separator: string, date: string): string {
  const rows = [
    headings,
    ["Zoë", "Müller", date, "zoe@example.org", "0711 1", "Köln", "Deutschland"],
    ["", '"Os,;| ""Bo"""', "", "", "", "", ""],
    ["", "", "", "", "", "", ""],
    ["Ann", "", "", "no mail", "", "", ""],
  ];
  return rows.map((row) => row.join(separator)).join("\r\n");
}

/** What several columns of one kind become: all values, with what the headings say of them. */
// biome-ignore format: a table
const severalOfEach: readonly [program: string, file: string, expected: object][] = [
  [
    "Google Contacts",
    "Given Name,E-mail 1 - Type,E-mail 1 - Value,E-mail 2 - Type,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value\n" +
      "Ada,* Work,a@w.example,Chess,b@x.example ::: c@x.example,Work Fax,11\n",
    {
      email: "a@w.example", emails: [{ value: "b@x.example", label: "Chess" }, { value: "c@x.example", label: "Chess" }], telephone: "11",
      vCardProps: ["EMAIL;TYPE=work:", "TEL;TYPE=work,fax:"],
    },
  ],
  [
    "Outlook",
    "First Name,E-mail Address,E-mail 2 Address,E-mail 3 Address,Home Phone,Business Phone,Business Phone 2,Mobile Phone,Business Fax\n" +
      "Ada,,b@x.example,c@x.example,,11,22,33,44\n",
    {
      email: "b@x.example", emails: [{ value: "c@x.example" }], telephone: "11",
      telephones: [
        { value: "22", contexts: ["work"] }, { value: "33", features: ["mobile"] },
        { value: "44", contexts: ["work"], features: ["fax"] },
      ],
      vCardProps: ["TEL;TYPE=work:"],
    },
  ],
  [
    "Outlook, with a title beside the job title", "Title,First Name,Job Title\nDr,Ada,Analyst\n",
    { honorificPrefix: "Dr", jobTitle: "Analyst" },
  ],
  ["a list with titles", "First Name,Title\nAda,Analyst\n", { jobTitle: "Analyst" }],
  [
    "Outlook in German",
    "Vorname;E-Mail-Adresse;E-Mail 2: Adresse;Telefon geschäftlich;Telefon privat;Mobiltelefon;Fax geschäftlich\n" +
      "Ada;a@x.example;b@x.example;11;22;33;44\n",
    {
      email: "a@x.example", emails: [{ value: "b@x.example" }], telephone: "11",
      telephones: [
        { value: "22", contexts: ["private"] }, { value: "33", features: ["mobile"] },
        { value: "44", contexts: ["work"], features: ["fax"] },
      ],
      vCardProps: ["TEL;TYPE=work:"],
    },
  ],
  [
    "Thunderbird",
    "First Name,Primary Email,Secondary Email,Work Phone,Home Phone,Fax Number,Mobile Number\nAda,a@x.example,a@x.example,11,,,22\n",
    { email: "a@x.example", telephone: "11", telephones: [{ value: "22", features: ["mobile"] }], vCardProps: ["TEL;TYPE=work:"] },
  ],
  [
    "Google Contacts, with addresses",
    "First Name,Address 1 - Label,Address 1 - Street,Address 1 - City,Address 1 - Country,Address 2 - Label,Address 2 - Street,Address 2 - City,Address 2 - Country\n" +
      "Ada,Home,1 Oak St,London,United Kingdom,* Studio,2 Oak St,Paris,FR\n",
    {
      address: { streetAddress: "1 Oak St", addressLocality: "London", addressCountry: "GB" },
      addresses: [{ value: { streetAddress: "2 Oak St", addressLocality: "Paris", addressCountry: "FR" }, label: "Studio" }],
      vCardProps: ["ADR;TYPE=home:"],
    },
  ],
  [
    "Google Contacts of today, with what no member has",
    "First Name,Phonetic First Name,File As,Organization Department,Photo,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box\n" +
      'Ada,,,,,Home,"1 Oak St\nLondon",1 Oak St,London,\n',
    { address: { streetAddress: "1 Oak St", addressLocality: "London" }, vCardProps: ["ADR;TYPE=home:"] },
  ],
  [
    "Outlook, with addresses",
    "First Name,Business Street,Business City,Business Country/Region,Home Street,Home City,Home Country/Region,Other Street,Other City\n" +
      "Ada,,,,1 Oak St,London,United Kingdom,2 Oak St,Paris\n",
    {
      address: { streetAddress: "1 Oak St", addressLocality: "London", addressCountry: "GB" },
      addresses: [{ value: { streetAddress: "2 Oak St", addressLocality: "Paris" } }], vCardProps: ["ADR;TYPE=home:"],
    },
  ],
  [
    "Outlook in German, with addresses",
    "Vorname;Straße geschäftlich;Ort geschäftlich;Postleitzahl geschäftlich;Land/Region geschäftlich;Straße privat;Ort privat\n" +
      "Ada;Am Markt 1;Köln;50667;Deutschland;;Bonn\n",
    {
      address: { streetAddress: "Am Markt 1", addressLocality: "Köln", postalCode: "50667", addressCountry: "DE" },
      addresses: [{ value: { addressLocality: "Bonn" }, contexts: ["private"] }], vCardProps: ["ADR;TYPE=work:"],
    },
  ],
  [
    "Thunderbird, with one address", "First Name,Home Address,Home City,Home ZipCode,Home Country\nAda,1 Oak St,London,W1,GB\n",
    { address: { streetAddress: "1 Oak St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" } },
  ],
  [
    "ours, with addresses",
    "givenName,address.postalCode,addresses\n" +
      'Ada,W1,"[{""value"":{""postalCode"":""W1""}},{""value"":{""addressCountry"":""Germany""},""contexts"":[""work""]}]"\n',
    { address: { postalCode: "W1" }, addresses: [{ value: { addressCountry: "DE" }, contexts: ["work"] }] },
  ],
  [
    "ours",
    "givenName,email,emails,languages\n" +
      'Ada,a@x.example,"[{""value"":""b@x.example""},{""value"":""a@x.example"",""label"":""x""}]",en; de\n',
    { email: "a@x.example", emails: [{ value: "b@x.example" }], knowsLanguage: "en", languages: [{ value: "de" }] },
  ],
  [
    "people write websites in a table",
    "First Name,Website,Website 2 - Value,Website 3 - Value\nAda, www.example.org ,münchen.example:8080/a?b,http://x.example\n",
    { url: "https://www.example.org", urls: [{ value: "https://münchen.example:8080/a?b" }, { value: "http://x.example" }] },
  ],
  [
    "people write websites in a vCard",
    "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nN:;Ada;;;\r\nURL;TYPE=WORK:www.example.org\r\nURL:example.org/ada\r\nEND:VCARD\r\n",
    { url: "https://www.example.org", urls: [{ value: "https://example.org/ada" }], vCardProps: ["URL;TYPE=work:"] },
  ],
  [
    "Thunderbird, all its columns",
    fileOf(
      thunderbird,
      {
        "First Name": "Ada", "Display Name": "Ada", Nickname: "Countess", "Primary Email": "a@x.example",
        "Secondary Email": "b@x.example", "Work Phone": "11", "Mobile Number": "22", "Home City": "London", "Job Title": "Analyst",
        Organization: "Engines", "Web Page 1": "http://x.example", "Birth Year": "1990", "Birth Month": "2", "Birth Day": "3",
        Notes: "a note",
      },
    ),
    {
      alternateName: "Countess", birthDate: "1990-02-03", email: "a@x.example", emails: [{ value: "b@x.example" }], telephone: "11",
      telephones: [{ value: "22", features: ["mobile"] }], address: { addressLocality: "London" }, jobTitle: "Analyst",
      worksFor: "Engines", url: "http://x.example", description: "a note", vCardProps: ["TEL;TYPE=work:", "ADR;TYPE=home:"],
    },
  ],
  [
    "Thunderbird, a birthday without a year", fileOf(thunderbird, { "First Name": "Ada", "Birth Month": "12", "Birth Day": "10" }),
    { vCardProps: ["BDAY:--1210"] },
  ],
  [
    "Thunderbird, a birthday without a day", fileOf(thunderbird, { "First Name": "Ada", "Birth Year": "1990", "Birth Month": "12" }),
    { vCardProps: ["BDAY:1990-12"] },
  ],
  ["Thunderbird in German, with a birthday", "Vorname,Geburtsjahr,Geburtsmonat,Geburtstag\nAda,1990,12,10\n", { birthDate: "1990-12-10" }],
  ["a list, a birthday", "Vorname,Geburtstag\nAda,10.12.1990\n", { birthDate: "1990-12-10" }],
  [
    "a list with a whole birthday beside its parts, which is taken",
    "Vorname,Geburtsdatum,Geburtsjahr,Geburtsmonat,Geburtstag\nAda,1990-12-10,,,\n", { birthDate: "1990-12-10" },
  ],
  [
    "Outlook, all its columns",
    fileOf(
      outlook,
      {
        "First Name": "Ada", "E-mail Address": "a@x.example", "Business Phone": "11", "Job Title": "Analyst", Company: "Engines",
        "Business Street": "1 Oak St", "Business Country/Region": "United Kingdom", "Web Page": "http://x.example",
        Birthday: "12/31/1990", Notes: "a note",
      },
    ),
    {
      birthDate: "1990-12-31", email: "a@x.example", telephone: "11", address: { streetAddress: "1 Oak St", addressCountry: "GB" },
      jobTitle: "Analyst", worksFor: "Engines", url: "http://x.example", description: "a note",
      vCardProps: ["TEL;TYPE=work:", "ADR;TYPE=work:"],
    },
  ],
  [
    "Google Contacts, all its columns",
    fileOf(
      google,
      {
        "First Name": "Ada", "Organization Name": "Engines", "Organization Title": "Analyst", Birthday: " --12-10",
        Labels: "Friends ::: * myContacts", "E-mail 1 - Label": "* Work", "E-mail 1 - Value": "a@x.example ::: b@x.example",
        "Phone 1 - Label": "Mobile", "Phone 1 - Value": "11", "Address 1 - Label": "Home",
        "Address 1 - Formatted": "1 Oak St London ::: Paris FR", "Address 1 - Street": "1 Oak St ::: ",
        "Address 1 - City": "London ::: Paris", "Address 1 - Country": " ::: FR", "Website 1 - Label": "Blog",
        "Website 1 - Value": "http://x.example",
      },
    ),
    {
      email: "a@x.example", emails: [{ value: "b@x.example", contexts: ["work"] }], telephone: "11",
      address: { streetAddress: "1 Oak St", addressLocality: "London" },
      addresses: [{ value: { addressLocality: "Paris", addressCountry: "FR" }, contexts: ["private"] }], jobTitle: "Analyst",
      worksFor: "Engines", url: "http://x.example", categories: ["Friends"],
      vCardProps: ["BDAY:--1210", "EMAIL;TYPE=work:", "TEL;TYPE=cell:", "ADR;TYPE=home:", "item1.URL:", "item1.X-ABLABEL:Blog"],
    },
  ],
  [
    "an older Google Contacts, with groups", "First Name,Group Membership\nAda,* myContacts ::: Press ::: * friends\n",
    { categories: ["Press", "friends"] },
  ],
  ["Outlook, with categories", '"First Name","Categories"\n"Ada","Press;friends"\n', { categories: ["Press", "friends"] }],
  [
    "a vCard, with two lines of categories",
    "BEGIN:VCARD\nVERSION:4.0\nFN:Ada\nN:;Ada;;;\nCATEGORIES:Press\nCATEGORIES:friends\nEND:VCARD\n",
    { categories: ["Press", "friends"] },
  ],
  [
    "Google Contacts, with events",
    "First Name,Event 1 - Label,Event 1 - Value,Event 2 - Label,Event 2 - Value,Event 3 - Type,Event 3 - Value,Event 4 - Label,Event 4 - Value\n" +
      "Ada,Anniversary,2001-02-03,* Birthday,--12-10,Graduation,1999-06-07,Anniversary,2003-04-05\n",
    {
      anniversary: "2001-02-03",
      vCardProps: [
        "event3.X-ABDATE:1999-06-07", "event3.X-ABLABEL:Graduation", "event4.X-ABDATE:2003-04-05", "event4.X-ABLABEL:Anniversary",
        "BDAY:--1210",
      ],
    },
  ],
  [
    "Outlook, with what it writes where there is nothing",
    fileOf(
      olderOutlook,
      {
        "First Name": "Ada", "Business Fax": "11", "Business Phone": "22", "Company Main Phone": "33", "E-mail Address": "a@x.example",
        "E-mail Type": "SMTP", "E-mail 2 Address": "b@x.example", "E-mail 2 Type": "SMTP", Birthday: "12/31/1990", Anniversary: "0/0/00",
      },
    ),
    {
      birthDate: "1990-12-31", email: "a@x.example", emails: [{ value: "b@x.example" }], telephone: "22",
      telephones: [{ value: "11", contexts: ["work"], features: ["fax"] }, { value: "33", features: ["main-number"] }],
      vCardProps: ["TEL;TYPE=work:"],
    },
  ],
  [
    "Outlook in German, with other addresses and numbers",
    "Vorname;Ort privat;Bundesland/Kanton privat;Weitere Straße;Weiterer Ort;Telefon Firma;Weiteres Fax;Haupttelefon;Jahrestag\n" +
      "Ada;Bonn;NRW;Weg 3;Ulm;11;22;33;0.0.00\n",
    {
      telephone: "11", telephones: [{ value: "22", features: ["fax"] }, { value: "33" }],
      address: { addressLocality: "Bonn", addressRegion: "NRW" },
      addresses: [{ value: { streetAddress: "Weg 3", addressLocality: "Ulm" } }], vCardProps: ["ADR;TYPE=home:"],
    },
  ],
  [
    "Outlook in French",
    "Prénom,Société,Rue (bureau),Ville (bureau),Dép/Région (bureau),Pays/Région (bureau),Ville (domicile),Téléphone principal,Adresse de messagerie,Type de messagerie,Adresse de messagerie 2,Anniversaire de mariage ou fête,Page Web\n" +
      "Ada,Engins,1 rue Haute,Lyon,Rhône,France,Paris,11,a@x.example,SMTP,b@x.example,2000-01-02,http://x.example\n",
    {
      anniversary: "2000-01-02", email: "a@x.example", emails: [{ value: "b@x.example" }], telephone: "11",
      address: { streetAddress: "1 rue Haute", addressLocality: "Lyon", addressRegion: "Rhône", addressCountry: "FR" },
      addresses: [{ value: { addressLocality: "Paris" }, contexts: ["private"] }], worksFor: "Engins", url: "http://x.example",
      vCardProps: ["ADR;TYPE=work:"],
    },
  ],
  [
    "Outlook in Spanish",
    "Nombre,Compañía,Calle del trabajo,Ciudad de trabajo,País o región del trabajo,Calle particular,Ciudad de residencia,Teléfono del trabajo,Otro teléfono,Dirección de correo electrónico,Dirección del correo electrónico 2\n" +
      "Ada,Motores,Calle Mayor 1,Madrid,España,Calle Sol 2,Toledo,11,22,a@x.example,b@x.example\n",
    {
      email: "a@x.example", emails: [{ value: "b@x.example" }], telephone: "11", telephones: [{ value: "22" }],
      address: { streetAddress: "Calle Mayor 1", addressLocality: "Madrid", addressCountry: "ES" },
      addresses: [{ value: { streetAddress: "Calle Sol 2", addressLocality: "Toledo" }, contexts: ["private"] }], worksFor: "Motores",
      vCardProps: ["TEL;TYPE=work:", "ADR;TYPE=work:"],
    },
  ],
  ["a program with empty cells in quotation marks", 'First Name,Job Title,Notes\nAda,"",""\n', { description: "" }],
  [
    "Outlook, a street of several lines", 'First Name,Business Street,Business City\r\nAda,"1 Oak St\r\n\r\n Floor 2 ",London\r\n',
    { address: { streetAddress: "1 Oak St, Floor 2", addressLocality: "London" } },
  ],
  [
    "Excel in German, of formulas without a value, and dates with a time",
    "Vorname;Firma;Straße / Hausnr.;Mobil;Privat;E-Mail;Geburtsdatum\r\n" + "Ada;#NV;Weg 1;#BEZUG!;#1;ada@x.example;31.12.1990 00:00\r\n",
    { birthDate: "1990-12-31", email: "ada@x.example", address: { streetAddress: "Weg 1" } },
  ],
  [
    "Excel in English, of formulas without a value in parts, lists, labels and whole rows",
    "First Name,Home City,Birth Year,Birth Month,Birth Day,Categories,E-mail 1 - Label,E-mail 1 - Value,Phone 2 - Value\n" +
      "Ada,#REF!,#N/A,#N/A,#N/A,#N/A,#N/A,ada@x.example,#VALUE!\n#N/A,#N/A,#N/A,#N/A,#N/A,#N/A,#N/A,#N/A,#N/A\n",
    { email: "ada@x.example" },
  ],
  ["Excel in English, with a date that is one of midnight", "First Name,Birth Date\nAda,12/31/90 12:00 AM\n", { birthDate: "1990-12-31" }],
  ["a database, with a time", "First Name,Birthday\nAda,1990-12-31 00:00:00.000\n", { birthDate: "1990-12-31" }],
  ["Numbers of Apple", "First name,Last name,Birthday\nAda,,10 Dec 1990\n", { birthDate: "1990-12-10" }],
  [
    "a list whose columns say what for, and not of what",
    "First Name,Work,Home,Office,Private,Business,Other,Home Number,Work Mobile\nAda,a,b,c,d,e,f,g,11\n", { telephone: "11" },
  ],
  ["one column of each", "First Name,Mobile Phone,Work Email\nAda,11,a@x.example\n", { email: "a@x.example", telephone: "11" }],
];

const withoutServers = ({ id: _id, createdAt: _c, updatedAt: _u, ...members }: Readonly<Record<string, unknown>>) =>
  members;

describe("several columns of one kind", () => {
  let service: PersonService;
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
  });
  after(() => service.database.close());
  for (const [i, [program, file, expected]] of severalOfEach.entries()) {
    it(`are all values, as ${program} has them`, async () => {
      const headers = { "Content-Type": "application/octet-stream" };
      const target = "http://localhost/person";
      const answer = await service.app.fetch(new Request(target, { method: "POST", headers, body: file }));
      assert.equal(answer.status, 200, await answer.text());
      const found = await service.app.fetch(new Request(`${target}/${i + 1}`));
      const person = withoutServers(JSON.parse(await found.text()));
      assert.deepEqual(person, { name: "Ada", givenName: "Ada", ...expected });
    });
  }
});

describe("a file of people", () => {
  let service: PersonService;
  before(async () => {
    service = await openPersonService({ database: ":memory:" });
  });
  after(() => service.database.close());

  /** What the service says that it would store of a file, as it is sent by the page. */
  async function judged(name: string, content: Buffer): Promise<object> {
    const headers = { "Content-Type": `application/octet-stream; name="${name}"`, Prefer: "handling=lenient" };
    const body = new Uint8Array(content);
    const request = new Request("http://localhost/person?dry-run=true", { method: "POST", headers, body });
    const { stored, refused, errors } = JSON.parse(await (await service.app.fetch(request)).text());
    return { stored, refused, lines: errors.map(({ line }: { readonly line: number }) => line) };
  }

  it("that is too long is refused with the bound, and with the way to split it", async () => {
    const { app, database } = await openPersonService({ database: ":memory:", bulk: { maxBytes: 20 } });
    await using _ = database;
    const headers = { "Content-Type": "application/octet-stream" };
    const sent = { method: "POST", headers, body: "name\nAda\nGrace\nMary\nKatherine\n" };
    const answer = await app.fetch(new Request("http://localhost/person", sent));
    const { limit, detail } = JSON.parse(await answer.text());
    assert.deepEqual([answer.status, limit], [413, 20]);
    assert.match(detail, /longer than 20 bytes\. Send several lists, each shorter; a table has its header in each/);
  });

  for (const [i, [language, [headings, date]]] of Object.entries(tables).entries()) {
    for (const [n, [charset, encode]] of Object.entries(charsets).entries()) {
      // Each separator with each language, and with each charset.
      const separator = separators[(i + n) % separators.length] ?? "";
      const named = JSON.stringify(separator);
      it(`of a program in ${language}, in ${charset}, separated by ${named}, is understood`, async () => {
        const content = encode(contentOf(headings, separator, date));
        assert.deepEqual(await judged("people.csv", content), { stored: 2, refused: 1, lines: [5] });
      });
    }
  }

  for (const [charset, encode] of Object.entries(charsets)) {
    it(`in ${charset} has each value as it was meant`, async () => {
      const [headings, date] = tables["German"] ?? assert.fail();
      const { app, people, database } = await openPersonService({ database: ":memory:" });
      await using _ = database;
      const headers = { "Content-Type": "application/octet-stream", Prefer: "handling=lenient" };
      const body = new Uint8Array(encode(contentOf(headings, ";", date)));
      await app.fetch(new Request("http://localhost/person", { method: "POST", headers, body }));
      const [records = []] = await Array.fromAsync(people.list());
      const zoe = { name: "Zoë Müller", givenName: "Zoë", familyName: "Müller", birthDate: "1990-12-31" };
      const reached = { email: "zoe@example.org", telephone: "0711 1" };
      assert.deepEqual(
        records.map(({ json }) => withoutServers(JSON.parse(json))),
        [
          { ...zoe, ...reached, address: { addressLocality: "Köln", addressCountry: "DE" } },
          { name: 'Os,;| "Bo"', familyName: 'Os,;| "Bo"' },
        ],
      );
    });
  }

  const websites = ["ftp://example.org", "example", "ada@example.org", "http:/example.org", "www.example.org x", "-"];
  for (const website of websites) {
    it(`is refused with a website that is not a URL: ${website}`, async () => {
      const answer = await judged("a.csv", Buffer.from(`Name,Website\nAda,${website}\n`));
      assert.deepEqual(answer, { stored: 0, refused: 1, lines: [2] });
    });
  }

  for (const text of [
    "name\nRené\nZoë",
    "name\nL\u0092Or\u00e9al\u0099\nM\u00fcller\u0085",
    "name\nTom\u009a\nM\u00e4\u00dfig",
    "name\n100\u0080",
  ]) {
    it(`is known to be in Windows-1252, since it is not UTF-8: ${JSON.stringify(text)}`, async () => {
      const path = folder.path("words.csv");
      writeFileSync(path, Buffer.from(text, "latin1"));
      assert.equal((await openSourceFile(path)).charset, "Windows-1252");
    });
  }

  // biome-ignore format: a table
  for (const [what, parameters, body, detail] of [
    ["a parameter that is not encoded", '; map="%zz"', "name\nA", /map .* is not encoded as in a URL/],
    ["a member that there is not", '; map="Tel=telefone"', "name\nA", /did you mean "telephone"/],
    ["a form that is not one of dates", "; date=soon", "name\nA", /date .* must be like DD\.MM\.YYYY/],
    ["no text", "", "PK\u0000", /not a text. To import a spreadsheet, save it as CSV/],
    ["nothing", "", "", /has no header/],
    ["a charset that is not read", "; charset=macintosh", "name\nA", /must be utf-8, utf-16 or/],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      const headers = { "Content-Type": `application/octet-stream${parameters}` };
      const answer = await service.app.fetch(new Request("http://localhost/person", { method: "POST", headers, body }));
      assert.equal(answer.status, 400);
      assert.match(JSON.parse(await answer.text()).detail, detail);
    });
  }

  it("is known by its content where it has no name", async () => {
    for (const [content, format] of [
      ['{"name":"A"}\n', "ndjson"],
      ['{\n  "name": "A"\n}\n', "json"],
      ["\n  \nname;email\nA;a@x.example\n", "csv"],
      ['[{"name":"A"}]', "json"],
      ["<people><person><name>A</name></person></people>", "xml"],
      ["BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nEND:VCARD\r\n", "vcard"],
      ["name\nA\n", "csv"],
    ] as const) {
      const headers = { "Content-Type": "application/octet-stream" };
      const request = new Request("http://localhost/person?dry-run=true", { method: "POST", headers, body: content });
      const { stored, found } = JSON.parse(await (await service.app.fetch(request)).text());
      assert.deepEqual([stored, found.format], [1, format]);
    }
  });
});
