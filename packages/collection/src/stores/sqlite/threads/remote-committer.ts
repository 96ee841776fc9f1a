import type { MessageLink } from "../../../database.ts";
import { type Answer, type Channel, type PendingCall, settle } from "../connections/channel.ts";
import { changesIn, fromOutcomesText, toBatchText } from "../writing/batch.ts";
import type { CommitterCalls } from "../writing/committer-channel.ts";

/**
 * Makes a channel to the `SharedWriter` at the other end of a link, which makes the transactions. This process must end when the
 * other process ends, because calls get no answer then.
 */
export function remoteCommitter(link: MessageLink): Channel<CommitterCalls> {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  link.onMessage((message) => {
    const [id, answer] = message as CommitterResponse; // of a shared writer
    const call = pending.get(id);
    pending.delete(id);
    if (call !== undefined) settle(call, answer);
  });
  const request = (call: CommitterRequest["call"], args: readonly unknown[], changes: number): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++lastId;
    pending.set(id, { resolve, reject });
    link.send({ id, call, args, changes } satisfies CommitterRequest);
    return promise;
  };
  return {
    joinsCommits: true,
    async ask<N extends keyof CommitterCalls>(call: N, ...args: Parameters<CommitterCalls[N]>) {
      if (call !== "commit") return (await request(call, args, 0)) as ReturnType<CommitterCalls[N]>; // of this call
      const [batch] = args as Parameters<CommitterCalls["commit"]>; // as checked above
      const text = (await request(
        call,
        [toBatchText(batch)],
        batch.reduce((sum, { write }) => sum + changesIn(write), 0),
      )) as string; // of the outcomes
      return fromOutcomesText(text) as ReturnType<CommitterCalls[N]>; // as checked above
    },
    async close() {},
  };
}

/** The request of a member: a call of `CommitterCalls`, and its number of changes. A commit has its batch as text. */
export interface CommitterRequest {
  readonly id: number;
  readonly call: keyof CommitterCalls;
  readonly args: readonly unknown[];
  readonly changes: number;
}

/** The answer to a request. The answer to a commit has the outcomes as text. */
export type CommitterResponse = readonly [id: number, answer: Answer];
