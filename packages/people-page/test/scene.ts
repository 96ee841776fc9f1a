import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import type { Store } from "@waymark/collection";
import { serve } from "@waymark/node";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { openPersonService, type PersonServiceOptions } from "../../person-service/src/index.ts";
import { type DatabaseKind, databaseKinds, sqlite } from "../../person-service/test/tools/databases.ts";
import { noon } from "../../person-service/test/tools/transports.ts";
import { findChromium, launchChromium } from "../../waymark/test/tools/chromium.ts";
import { isThorough } from "../../waymark/test/tools/runs.ts";

/** A service in a browser. */
export interface Scene {
  readonly url: string;
  readonly people: Store;
  /** Opens a path, in the one page that there is for the options, and waits until it is loaded. */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Makes a context that has nothing in its cache. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Stores a person, and returns the number. */
  add(person: object): Promise<number>;
  /** Answers a request of the API as JSON. */
  ask<T = unknown>(path: string): Promise<T>;
}

/** The databases below the pages: their answers are the same, so that only the thorough run looks at the pages over each of them. */
export const kinds: readonly DatabaseKind[] = isThorough ? databaseKinds : [sqlite];

const executable = findChromium();

/** The browser of this process, in which each block of tests has contexts of its own. */
let launched: Promise<Browser> | undefined;
after(async () => (await launched)?.close());

/** Runs tests in a Chromium against a service on each of these kinds of database. What a page reports as an error fails the test that ends then. */
export function describeInBrowser(
  name: string,
  kinds: readonly DatabaseKind[],
  body: (scene: () => Scene) => void,
  configure?: () => Promise<Omit<PersonServiceOptions, "database" | "onFault">>,
): void {
  describe(name, { skip: executable === undefined && "there is no Chromium on this machine" }, () => {
    let browser: Browser;
    before(async () => {
      launched ??= launchChromium(executable as string); // There is one, or this is skipped.
      browser = await launched;
    });

    for (const kind of kinds) {
      describe(`on ${kind.name}`, () => {
        let scene: Scene | undefined;
        let close: () => Promise<void>;
        before(async () => {
          const database = await kind.create();
          const faults: unknown[] = [];
          const pages = new Map<string, Page>();
          const service = await openPersonService({
            database: database.location,
            now: () => new Date(noon),
            onFault: (error) => faults.push(error),
            ...(await configure?.()),
          });
          const server = await serve(service.app);
          scene = {
            url: server.url,
            people: service.people,
            newContext: (options) => newContext(options),
            add: async (person) => {
              const sent = {
                method: "POST",
                headers: { "Content-Type": "application/json" },
                body: JSON.stringify(person),
              };
              const answer = await fetch(`${server.url}/person`, sent);
              return Number(answer.headers.get("Location")?.split("/").at(-1));
            },
            ask: async (path) => (await fetch(server.url + path, { headers: { Accept: "application/json" } })).json(),
            async open(path, options = {}) {
              const key = JSON.stringify(options);
              const page = pages.get(key) ?? (await newPage(options));
              pages.set(key, page);
              await page.goto(server.url + path);
              return page;
            },
          };
          const contexts: BrowserContext[] = [];
          const newContext = async (options?: BrowserContextOptions): Promise<BrowserContext> => {
            const context = await browser.newContext(options);
            contexts.push(context);
            return context;
          };
          const newPage = async (options: BrowserContextOptions): Promise<Page> => {
            const context = await newContext(options);
            const page = await context.newPage();
            page.setDefaultTimeout(60_000); // milliseconds, on a machine that is busy
            page.on("pageerror", (error) => faults.push(error));
            page.on("console", (message) => {
              // The browser logs each refusal, which the page shows.
              if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) {
                faults.push(message.text());
              }
            });
            return page;
          };
          close = async () => {
            await Promise.all(contexts.map((context) => context.close()));
            await server.close({ grace: 0 });
            await service.database.close();
            await database.remove();
            assert.deepEqual(faults, []);
          };
        });
        after(() => close());
        body(() => scene as Scene); // It is set before any test runs.
      });
    }
  });
}
