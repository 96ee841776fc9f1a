// The page routes.html: waymark in the browser, with tables of routes to ask.
import { type App, HttpError, HttpRequest } from "waymark";
import { tables } from "./tables.ts";

const element = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T; // of page.html
const [chosen, line, fields] = [
  element<HTMLSelectElement>("table"),
  element<HTMLInputElement>("line"),
  element<HTMLTextAreaElement>("fields"),
];

/** Takes away where something is declared: here that is a place in this page. */
const withoutPlaces = (words: string): string => words.replaceAll(/ \([^()]*:\d+:\d+\)/g, "");

function fill(id: string, rows: readonly (readonly string[])[]): void {
  element(id).replaceChildren(
    ...rows.map(([first = "", ...cells]) => {
      const row = document.createElement("tr");
      const isChosen = first.startsWith("→");
      row.className = isChosen ? "chosen" : "";
      row.append(
        ...[first, ...cells].map((cell, i) => {
          const made = document.createElement(i === 0 ? "th" : "td");
          if (i === 0) made.scope = "row";
          made.textContent = cell;
          return made;
        }),
      );
      return row;
    }),
  );
}

const refusal = ({ status, code, methods }: App["routes"][number]["refuses"][number]): string =>
  [`${status ?? "?"}`, code, methods && `(${methods.join(", ")})`].filter(Boolean).join(" ");

function showReach({ routes, findings }: App): void {
  fill(
    "reach",
    routes.map(({ methods, path, refuses, open }) => [
      methods?.join("|") ?? "*",
      path,
      refuses.map(refusal).join(", ") || (open === undefined ? "nobody" : "open"),
      open ?? "",
    ]),
  );
  element("findings").replaceChildren(
    ...findings.map(({ kind, message }) => {
      const item = document.createElement("li");
      item.textContent = `${kind}: ${withoutPlaces(message)}`;
      return item;
    }),
  );
}

/** Explains the request, and asks the app. */
async function ask(app: App): Promise<void> {
  try {
    const [method = "", target = ""] = line.value.trim().split(/\s+/);
    const headers = Object.fromEntries(
      fields.value.split("\n").flatMap((field) => {
        const [, name, value = ""] = /^([^:\s]+):\s*(.*)$/.exec(field.trim()) ?? [];
        return name === undefined ? [] : [[name, value] as const];
      }),
    );
    const request = HttpRequest.of({ method, target, headers });
    const { steps, route, status } = app.explain(request);
    const rows = steps.map(({ route: tried, unmet }) => {
      const verdict = tried === route ? "takes it" : "takes it too";
      return [
        `${tried === route ? "→ " : ""}${tried.method} ${tried.path}`,
        unmet === undefined ? verdict : `wants ${unmet.condition}, found ${unmet.found}`,
      ];
    });
    fill("steps", rows);
    const answer = await app.fetch(new Request(`http://localhost${target}`, { method, headers }));
    const shown = ["Allow", "Accept", "Accept-Post", "Vary", "Content-Type"].flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [`${name}: ${value}`];
    });
    const first = `${answer.status}${status === undefined ? "" : ", the router’s own answer"}`;
    element("answer").textContent = [first, ...shown, "", await answer.text()].join("\n");
  } catch (error) {
    fill("steps", []);
    const said = error instanceof HttpError ? error.response.problem?.detail : error;
    element("answer").textContent = String(said);
  }
}

function show(): void {
  const make = tables[chosen.value];
  if (make === undefined) return;
  const app = make();
  element("source").textContent = String(make)
    .replace(/^\(\) => /, "")
    .replaceAll(/^ {2}/gm, "");
  showReach(app);
  void ask(app);
}

chosen.append(...Object.keys(tables).map((title) => new Option(title)));
for (const field of [chosen, line, fields]) field.addEventListener("input", show);
show();
