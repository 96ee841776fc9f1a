import { serve } from "@waymark/node";
import { json, POST, router, takes } from "waymark";
import { inputs } from "./declared-inputs.ts";
import { announce } from "./server-program.ts";

const app = router(
  POST("/shelf/{id}/book", takes(inputs), async (_, { variables, query, body }) =>
    json({ shelf: variables.id, most: query.most, tags: query.tag, book: await body() }),
  ),
);

announce((await serve(app, { port: 0, host: "127.0.0.1" })).port);
