import type { AddressInfo } from "node:net";
import { fastify } from "fastify";
import { z } from "zod";
import { inputs } from "./declared-inputs.ts";
import { announce } from "./server-program.ts";

const compiled = (schema: z.ZodType): object => z.toJSONSchema(schema, { target: "draft-7", io: "input" });

// As by default, but for what a request has too much: it is refused, as ours does.
const app = fastify({ ajv: { customOptions: { removeAdditional: false } } });
const schema = {
  params: compiled(z.object(inputs.variables)),
  querystring: compiled(z.object(inputs.query)),
  body: compiled(inputs.body),
};

interface Values {
  readonly Params: { readonly id: number };
  readonly Querystring: { readonly most: number; readonly tag: readonly string[] };
  readonly Body: z.infer<typeof inputs.body>;
}

app.post<Values>("/shelf/:id/book", { schema }, async ({ params, query, body }) => ({
  shelf: params.id,
  most: query.most,
  tags: query.tag,
  book: body,
}));

await app.listen({ port: 0, host: "127.0.0.1" });
announce((app.server.address() as AddressInfo).port); // A server that listens on a port has an address with one.
