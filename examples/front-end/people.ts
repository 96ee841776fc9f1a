// Its types are made of the service's document: what the service does not know does not compile here.
//   npx person-service openapi > openapi.json
//   npx openapi-typescript openapi.json --output examples/front-end/api.d.ts
import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

export type Person = components["schemas"]["StoredPerson"];

/** The people of a service, as the page needs them. */
export interface People {
  /** The first twenty by name. */
  list(): Promise<readonly Person[]>;
  /** Stores a person, and returns what is wrong with the name, or undefined. */
  add(name: string): Promise<string | undefined>;
}

export function peopleAt(baseUrl: string): People {
  const api = createClient<paths, "application/json" | "application/problem+json">({ baseUrl });
  return {
    async list() {
      const { data = [] } = await api.GET("/person", { params: { query: { sort: "name", limit: 20 } } });
      return data;
    },
    async add(name) {
      const { error } = await api.POST("/person", { body: { name } });
      return error?.errors?.[0]?.detail ?? error?.title;
    },
  };
}
