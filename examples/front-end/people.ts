// Written by main.ts from the service's own routes: what the service does not know does not compile here.
import { type Api, createPerson, listPeople, type StoredPerson, successOf } from "./client.ts";

export type Person = StoredPerson;

/** The people of a service, as the page needs them. */
export interface People {
  /** The first twenty by name. */
  list(): Promise<readonly Person[]>;
  /** Stores a person, and returns what is wrong with the name, or undefined. */
  add(name: string): Promise<string | undefined>;
}

export function peopleAt(baseUrl: string): People {
  const api: Api = { baseUrl };
  return {
    async list() {
      return successOf(await listPeople(api, { query: { sort: "name", limit: 20 } })).content;
    },
    async add(name) {
      const { problem } = await createPerson(api, { body: { name } });
      return problem?.errors?.[0]?.detail ?? problem?.title;
    },
  };
}
