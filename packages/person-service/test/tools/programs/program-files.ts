import assert from "node:assert/strict";

/** Makes a file with all columns of a program, of which some have a value. */
export function fileOf(headings: string, ...people: readonly Readonly<Record<string, string>>[]): string {
  const names = headings.split(",");
  for (const name of people.flatMap((values) => Object.keys(values))) assert.ok(names.includes(name), name);
  const rows = people.map((values) => names.map((name) => values[name] ?? "").join(","));
  return `${[headings, ...rows].join("\r\n")}\r\n`;
}

/** All columns of mailnews/addrbook/test/unit/data/export.csv, what Thunderbird's own tests expect of an export. */
export const thunderbird: string =
  "First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Screen Name,Work Phone,Home Phone,Fax Number,Pager Number,Mobile Number,Home Address,Home Address 2,Home City,Home State,Home ZipCode,Home Country,Work Address,Work Address 2,Work City,Work State,Work ZipCode,Work Country,Job Title,Department,Organization,Web Page 1,Web Page 2,Birth Year,Birth Month,Birth Day,Custom 1,Custom 2,Custom 3,Custom 4,Notes";

/** All columns of the file for "Create or edit .csv files to import into Outlook" of Microsoft Support. */
export const outlook: string =
  "First Name,Middle Name,Last Name,Title,Suffix,Nickname,Given Yomi,Surname Yomi,E-mail Address,E-mail 2 Address,E-mail 3 Address,Home Phone,Home Phone 2,Business Phone,Business Phone 2,Mobile Phone,Car Phone,Other Phone,Primary Phone,Pager,Business Fax,Home Fax,Other Fax,Company Main Phone,Callback,Radio Phone,Telex,TTY/TDD Phone,IMAddress,Job Title,Department,Company,Office Location,Manager's Name,Assistant's Name,Assistant's Phone,Company Yomi,Business Street,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home City,Home State,Home Postal Code,Home Country/Region,Other Street,Other City,Other State,Other Postal Code,Other Country/Region,Personal Web Page,Spouse,Schools,Hobby,Location,Web Page,Birthday,Anniversary,Notes";

/** Columns of an export of Outlook up to 2010, as the tests of the CSV importer of Open-Xchange have them, as they do in German and French. */
export const olderOutlook: string =
  "Title,First Name,Last Name,Company,Business Street,Business City,Assistant's Phone,Business Fax,Business Phone,Callback,Company Main Phone,Home Fax,Home Phone,ISDN,Mobile Phone,Account,Anniversary,Birthday,Categories,Directory Server,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,Gender,Notes,User 1,Web Page";

/** The columns of an export of Google Contacts, "Google CSV", with one of each that is numbered. */
export const google: string =
  "First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,Website 1 - Label,Website 1 - Value";

/** Files as programs write them, most with somebody who is refused, by a name that says the format. */
export const programFiles: Readonly<Record<string, string | Buffer>> = {
  "apple.vcf": [
    ...["BEGIN:VCARD", "VERSION:3.0", "PRODID:-//Apple Inc.//macOS 14.4//EN", "N:Appleseed;John;;;"],
    ...["FN:John Appleseed", "ORG:Apple;R&D;", "EMAIL;type=INTERNET;type=HOME;type=pref:john@x.example"],
    ...[
      "item1.EMAIL;type=INTERNET:j@x.example",
      "item1.X-ABLabel:_$!<Other>!$_",
      "TEL;type=CELL;type=pref:888-555-5512",
    ],
    ...["item2.ADR;type=HOME;type=pref:;;1 Infinite Loop\\nFloor 2;Cupertino;CA;95014;USA", "item2.X-ABADR:us"],
    ...["item3.X-ABDATE;type=pref:2009-09-09", "item3.X-ABLabel:_$!<Anniversary>!$_", "BDAY:1980-06-22", "END:VCARD"],
    ...["BEGIN:VCARD", "VERSION:3.0", "FN:Pizzeria Roma", "ORG:Pizzeria Roma;", "X-ABShowAs:COMPANY", "END:VCARD"],
    ...["BEGIN:VCARD", "VERSION:3.0", "FN:Odd", "EMAIL:not an address", "END:VCARD", ""],
  ].join("\r\n"),
  "outlook.vcf": [
    ...["BEGIN:VCARD", "VERSION:2.1", "N;LANGUAGE=de;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg"],
    ...["TEL;WORK;VOICE:0711 1", "ADR;WORK;PREF:;;Weg 1;Ulm;;89073;Deutschland", "END:VCARD", ""],
  ].join("\r\n"),
  "google.csv": fileOf(
    google,
    {
      "First Name": "Ada",
      "E-mail 1 - Label": "* Work",
      "E-mail 1 - Value": "ada@x.example",
      Birthday: "--12-10",
    },
    { "First Name": "Bad", "E-mail 1 - Value": "no address" },
  ),
  "outlook.csv": fileOf(
    outlook,
    {
      "First Name": "Ada",
      "E-mail Address": "/o=Org/ou=Group/cn=ada",
      "Business Street": "1 Oak St",
      "Business Country/Region": "United Kingdom",
      Birthday: "12/31/1990",
    },
    { "First Name": "Bad", "E-mail Address": "no address" },
  ),
  "thunderbird.csv": fileOf(thunderbird, {
    "First Name": "Ada",
    "Birth Year": "1990",
    "Birth Month": "2",
    "Birth Day": "3",
  }),
  "excel.csv": Buffer.from(
    "Vorname;Nachname;Straße;Telefon;Geburtstag;Schuhgröße\r\n" +
      'Jörg;Müller;"Weg 1\nHof";0171 1;31.12.1970 00:00;45\r\n;;;;;\r\n;Kurz;;4,91E+11;1.3.1990 00:00;\r\n',
    "latin1",
  ),
  "excel.txt": Buffer.from("\ufeffFull Name\tMobile\r\nAda\t+44 1\r\nBad\tnone\r\n", "utf16le"),
  "people.ndjson": '{"name":"Ada","email":"ada@x.example"}\n{"name":"Bad","email":"none"}\n',
};
