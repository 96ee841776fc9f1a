let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout>;
/** Where to go on, when the page is seen again. */
let cursor = "";
const changed = new Set<number>();

/**
 * Says when people have changed whom the page shows, while it is seen: nothing is exchanged under the reader's hands. To be called
 * again when the page shows others.
 */
export function followChanges(): void {
  cursor = "";
  changed.clear();
  resume();
}

function resume(): void {
  pause();
  // A page that somebody only passes through is not followed for.
  if (!document.hidden) timer = setTimeout(follow, 1000);
}

function pause(): void {
  clearTimeout(timer);
  source?.close();
}

async function follow(): Promise<void> {
  const note = document.querySelector<HTMLElement>("[data-changes]");
  if (note === null || changed.size >= mostCounted) return;
  const { changes = "", id, tag } = note.dataset;
  const say = (number?: string): void => {
    if (number !== undefined) note.querySelector("span")?.replaceChildren(` (${number})`);
    note.hidden = false;
  };
  const url = new URL(changes, location.href);
  url.searchParams.set("fields", "id");
  if (cursor !== "") url.searchParams.set("after", cursor);
  source = new EventSource(url);
  source.addEventListener("message", ({ data, lastEventId }) => {
    cursor = lastEventId;
    const { id: person }: { readonly id: number } = JSON.parse(data);
    if (id !== undefined) return String(person) === id ? say() : undefined;
    changed.add(person);
    if (changed.size >= mostCounted) pause();
    say(changed.size < mostCounted ? `${changed.size}` : `${mostCounted - 1}+`);
  });
  // What changed before the stream began.
  if (tag === undefined || cursor !== "") return;
  const headers = { Accept: "text/html", "If-None-Match": tag };
  const answer = await fetch(location.href, { method: "HEAD", headers }).catch(() => undefined);
  if (answer?.status === 200 || answer?.status === 404) say();
}

const mostCounted = 100;

addEventListener("pageshow", resume);
addEventListener("pagehide", pause);
document.addEventListener("visibilitychange", resume);
