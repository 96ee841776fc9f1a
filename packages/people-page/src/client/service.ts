import { language } from "../words.ts";
import { ask } from "./api.ts";
import { type Field, fieldsIn, type PersonSchema } from "./fields.ts";

/** Who asks, as the service knows them. */
export interface Caller {
  readonly id: string;
  readonly name: string;
}

/** What the service says of itself. */
export interface Service {
  readonly title?: string;
  readonly accent?: string;
  readonly logo?: string;
  readonly version?: string;
  readonly links: Readonly<Record<string, string>>;
  readonly caller: Caller | null;
  readonly session: boolean;
  readonly rights: Readonly<
    Record<"read" | "create" | "change" | "remove" | "import" | "export" | "changeMany" | "follow", boolean>
  >;
  readonly signIn: readonly string[];
  readonly limits: { readonly bytes: number };
}

/** What the service says of itself, of the caller, and of the members of a person: the last answer. */
export let service: Service;
export let schema: PersonSchema = { properties: {} };
export let fields: readonly Field[] = [];

/** Asks what the service says, again after signing in. The members are only for those who may read people. */
export async function readService(): Promise<void> {
  const [front, members] = await Promise.all([
    ask<Service>("GET", "/"),
    ask<PersonSchema>("GET", "/schemas/person", { headers: { "Accept-Language": language } }).catch(() => undefined),
  ]);
  service = front.value;
  if (members === undefined) return;
  schema = members.value;
  fields = fieldsIn(schema);
}

/** Returns the field of a member; a member without one is a text under its own name. */
export const fieldOf = (name: string): Field =>
  fields.find((each) => each.name === name) ?? { name, label: name, kind: "line", group: "" };

/** The members that people edit, in the order of the form. */
export const edited = (): readonly Field[] => fields.filter(({ group }) => group !== "");

/** Returns fields in their groups, each with its title; a list of further values stands behind the first one. */
export function grouped(members: readonly Field[]): readonly (readonly [title: string, members: readonly Field[]])[] {
  const groups = Map.groupBy(members, ({ group }) => group);
  return Array.from(groups, ([group, members]) => {
    const sorted = [...Map.groupBy(members, ({ name, of }) => of ?? name.split(".")[0]).values()].flat();
    return [schema["x-groups"]?.[group] ?? group, sorted] as const;
  });
}
