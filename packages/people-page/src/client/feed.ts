import { useEffect } from "preact/hooks";
import { base } from "./api.ts";
import { service } from "./service.ts";

const followers = new Set<(id: number | undefined) => void>();
let source: EventSource | undefined;
let timer: ReturnType<typeof setTimeout>;

/** Calls a function with each person who has changed or is removed, and with undefined where anybody may have. */
export function useChanges(onChange: (id: number | undefined) => void): void {
  useEffect(() => {
    followers.add(onChange);
    return () => followers.delete(onChange);
  });
}

const tell = (id: number | undefined): void => {
  for (const follow of followers) follow(id);
};

/** Follows the feed of changes while the page is seen and its reader may, and goes on when the service is there again. */
export function followChanges(): void {
  clearTimeout(timer);
  source?.close();
  if (document.hidden || !service.rights.follow) return;
  const stream = new EventSource(`${base}/person/changes?after=now&fields=id`);
  source = stream;
  // What changed before the stream began, or while it was cut.
  stream.onopen = () => tell(undefined);
  stream.onmessage = ({ data }) => tell(JSON.parse(data).id);
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) timer = setTimeout(followChanges, 5000);
  };
}

document.addEventListener("visibilitychange", () => {
  if (service !== undefined) followChanges();
});
