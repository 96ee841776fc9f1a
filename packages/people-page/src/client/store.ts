import { useEffect, useState } from "preact/hooks";

/** A value that several parts of the page show. */
export interface Store<T> {
  readonly value: T;
  set(value: T): void;
  /** Returns the value, and has the component drawn again with the next one. */
  use(): T;
}

export function store<T>(first: T): Store<T> {
  let value = first;
  const followers = new Set<() => void>();
  return {
    get value() {
      return value;
    },
    set(next) {
      value = next;
      for (const follow of followers) follow();
    },
    use() {
      const [, draw] = useState({});
      const drawn = value;
      useEffect(() => {
        const follow = (): void => draw({});
        followers.add(follow);
        if (drawn !== value) follow(); // changed before the effect ran
        return () => followers.delete(follow);
      }, []);
      return value;
    },
  };
}
