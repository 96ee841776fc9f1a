import { type PendingCall, settle } from "./answer.ts";
import { fromOutcomesText, toBatchText } from "./batch-text.ts";
import type { WriterRequest, WriterResponse } from "./shared-writer.ts";
import type { Channel } from "./thread.ts";
import type { WriterCalls } from "./writer.ts";

/** One end of a way between two processes, on which messages arrive in their order. */
export interface MessageLink {
  /** Sends what structured clone can copy. A message is lost without an error when the other process has ended. */
  send(message: unknown): void;
  /** Sets what receives the messages of the other process. */
  onMessage(receive: (message: unknown) => void): void;
}

/**
 * Has the transactions made by the `SharedWriter` at the other end of a link. This process is to end when that one does: nobody
 * answers then.
 */
export function remoteWriter(link: MessageLink): Channel<WriterCalls> {
  const pending = new Map<number, PendingCall>();
  let lastId = 0;
  link.onMessage((message) => {
    const [id, answer] = message as WriterResponse; // of a shared writer
    const call = pending.get(id);
    pending.delete(id);
    if (call !== undefined) settle(call, answer);
  });
  const request = (call: WriterRequest["call"], args: readonly unknown[], changes: number): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++lastId;
    pending.set(id, { resolve, reject });
    link.send({ id, call, args, changes } satisfies WriterRequest);
    return promise;
  };
  return {
    joinsCommits: true,
    async ask<N extends keyof WriterCalls>(call: N, ...args: Parameters<WriterCalls[N]>) {
      if (call !== "commit") return (await request(call, args, 0)) as ReturnType<WriterCalls[N]>; // of this call
      const [batch] = args as Parameters<WriterCalls["commit"]>; // as checked above
      const text = (await request(call, [toBatchText(batch)], batch.length)) as string; // of the outcomes
      return fromOutcomesText(text) as ReturnType<WriterCalls[N]>; // as checked above
    },
    async close() {},
  };
}
