import { html, type SafeHtml } from "@remix-run/html-template";
import type { ItemOptions, StoredRecord } from "@waymark/collection";
import { toPublicUrl } from "waymark/filters";
import { page } from "./document.ts";
import { memberGroups, memberValue } from "./members.ts";
import type { Site } from "./site.ts";
import { shownValue } from "./value.ts";

/** Makes the page of a person. */
export function personPage(site: Site, { id, json }: StoredRecord, { request }: ItemOptions): string {
  const person: Readonly<Record<string, unknown>> = JSON.parse(json); // the store wrote the text of an object
  const title = memberValue(person, "name") ?? `No. ${id}`;
  const groups = memberGroups.map(({ title, members }) => {
    const rows = members.map(({ name, label }) => {
      const value = memberValue(person, name);
      return value === undefined ? "" : html`<dt>${label}</dt><dd class="${name}">${shownValue(name, value)}</dd>\n`;
    });
    return rows.every((row) => row === "") ? "" : html`<section><h2>${title}</h2><dl>\n${rows}</dl></section>\n`;
  });
  const about = [memberValue(person, "jobTitle"), memberValue(person, "worksFor")].filter((part) => part !== undefined);
  const content = html`<nav class="trail" aria-label="Way back"><a href="${toPublicUrl(request, "/person")}">All people</a></nav>
<div class="title"><h1><bdi>${title}</bdi></h1>
${about.length === 0 ? "" : html`<p>${about.map((part, i) => html`${i > 0 ? " · " : ""}<bdi>${part}</bdi>`)}</p>`}</div>
<div class="card">
${groups}</div>
${record(id, person)}`;
  return page(site, request, { title: `${title} · People`, kind: "person" }, content);
}

function record(id: number, person: Readonly<Record<string, unknown>>): SafeHtml {
  const times = (["createdAt", "updatedAt"] as const).map((name) => {
    const value = memberValue(person, name);
    const verb = name === "createdAt" ? "created" : "changed";
    return value === undefined ? "" : html`, ${verb} ${shownValue(name, value)}`;
  });
  return html`<p class="record">No. ${id}${times}</p>`;
}
