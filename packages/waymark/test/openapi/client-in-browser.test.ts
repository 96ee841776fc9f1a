import assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { it } from "node:test";
import { serve } from "@waymark/node";
import { type App, answers, created, GET, json, POST, type ProblemType, problem, router, takes, text } from "waymark";
import { docs, openApi, toClient } from "waymark/openapi";
import { name } from "waymark/routing";
import { integer } from "waymark/schema";
import { z } from "zod";
import { findChromium, launchChromium } from "../chromium.ts";

const page = `<!doctype html><title>Notes</title><script type="module">
import { addNote, listNotesPages } from "./client.js";
const api = { baseUrl: "" };
const results = [];
for await (const { content } of listNotesPages(api)) results.push(...content);
const taken = await addNote(api, { body: "one" });
results.push(taken.problem.code);
results.push((await addNote(api, { body: "four" })).etag);
const signal = AbortSignal.abort();
results.push(await addNote(api, { body: "five", signal }).catch((error) => error.name));
document.title = JSON.stringify(results);
</script>`;

const titles = ["one", "two", "three"];
const titleTaken: ProblemType = { code: "title-taken", status: 409, title: "Title taken", explanation: "It is." };

const notes: App = router(
  GET("/", () => text(page).withHeader("Content-Type", "text/html")),
  GET("/client.js", async () => {
    const client = stripTypeScriptTypes(toClient(await openApi(notes, { title: "Notes", version: "1" })));
    return text(client).withHeader("Content-Type", "text/javascript");
  }),
  GET(
    "/notes",
    name("listNotes"),
    takes({ query: { at: integer({ default: 0 }) } }),
    answers({ 200: z.array(z.string()) }),
    docs({ responses: { 200: { description: "One.", headers: { Link: {} } } } }),
    (_request, { query: { at } }) =>
      json(titles.slice(at, at + 1)).withHeader(
        "Link",
        at < 2 ? `<?at=${at + 1}>; rel="next"` : '<?at=0>; rel="first"',
      ),
  ),
  POST(
    "/notes",
    name("addNote"),
    takes({ body: z.string() }),
    answers({ 201: z.string(), 409: titleTaken }),
    async (_request, { body }) => {
      const title = await body();
      return titles.includes(title) ? problem(titleTaken) : created("/notes/4", title).withHeader("ETag", '"4"');
    },
  ),
);

const executable = findChromium();

it("a client talks with its app from a page", {
  skip: executable === undefined && "there is no Chromium on this machine",
}, async () => {
  const server = await serve(notes);
  const browser = await launchChromium(executable as string); // There is one, or this is skipped.
  try {
    const opened = await browser.newPage();
    await opened.goto(server.url);
    await opened.waitForFunction('document.title !== "Notes"');
    assert.deepEqual(JSON.parse(await opened.title()), ["one", "two", "three", "title-taken", '"4"', "AbortError"]);
  } finally {
    await browser.close();
    await server.close({ grace: 0 });
  }
});
