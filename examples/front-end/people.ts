import createClient, { type Client } from "openapi-fetch";
// Made of the service's own document by main.ts: what the service does not know does not compile here.
import type { components, paths } from "./person-service.d.ts";

export type Person = components["schemas"]["StoredPerson"];

/** The people of a service, as the page needs them. */
export interface People {
  /** The first twenty by name. */
  list(): Promise<readonly Person[]>;
  /** Stores a person, and returns what is wrong with the name, or undefined. */
  add(name: string): Promise<string | undefined>;
}

export function peopleAt(baseUrl: string): People {
  const client: Client<paths> = createClient<paths>({ baseUrl });
  return {
    async list() {
      const { data } = await client.GET("/person", { params: { query: { sort: "name", limit: 20 } } });
      return data ?? [];
    },
    async add(name) {
      const { error } = await client.POST("/person", { body: { name } });
      return error?.errors?.[0]?.detail ?? error?.title;
    },
  };
}
