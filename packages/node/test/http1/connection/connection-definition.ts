import { contentLimit, firstPart, type Script, type ScriptedRequest } from "./connection-script.ts";

/** The answer that must come back. */
export interface Expected {
  readonly status: number;
  /** The content; undefined where it does not matter. */
  readonly body: string | undefined;
  /** Where the content ends: after Content-Length, with the last chunk, with the connection; or the message has no content. */
  readonly framing: "length" | "chunked" | "end" | "none";
  /** Whether the answer comes to its end. */
  readonly isWhole: boolean;
  /** Whether the server resets the connection instead, so that what is on its way may be lost: HTTP/1.0 knows nothing else. */
  readonly isReset: boolean;
  /** Whether 100 Continue comes first; undefined if it may. */
  readonly continues: boolean | undefined;
  /** Whether the connection is kept after it, as its head says if it comes to its end; undefined if it may be. */
  readonly keeps: boolean | undefined;
}

/**
 * Defines what comes back on one connection: each request is answered once, in the order of the requests, up to the first
 * answer that closes the connection. The last may be one of several.
 */
export function expectedAnswers({ requests, ending }: Script): readonly (readonly Expected[])[] {
  const answers: (readonly Expected[])[] = [];
  for (const [i, request] of requests.entries()) {
    const answer = answerTo(request, i);
    // A client that has ended its side may be told that the connection ends with the last answer.
    const mayClose = answer.keeps === true && i === requests.length - 1 && ending.kind !== "upgrades";
    answers.push([mayClose ? { ...answer, keeps: undefined } : answer]);
    if (answer.keeps === false) return answers;
  }
  if (ending.kind === "malformed") answers.push([refused]);
  if (ending.kind === "upgrades") {
    answers.push([{ ...refused, status: 101, body: ending.tail.toUpperCase(), framing: "end", keeps: undefined }]);
  }
  if (ending.kind === "truncated" || ending.kind === "vanishes")
    answers.push(...answersToPart(ending.request, ending.share, requests.length));
  return answers;
}

const refused: Expected = {
  status: 400,
  body: undefined,
  framing: "length",
  isWhole: true,
  isReset: false,
  continues: false,
  keeps: false,
};

/** The answers to the first part of a request, behind which the client ends its side, or vanishes. */
function answersToPart(request: ScriptedRequest, share: number, number: number): readonly (readonly Expected[])[] {
  const answer = answerTo(request, number);
  const { bytes, hasHead, isWhole } = firstPart(request, targetOf(number), share);
  if (bytes === "") return [];
  if (!hasHead) return [[refused]];
  if (isWhole) return [[{ ...answer, keeps: undefined, continues: undefined }]];
  // A handler that does not need the rest may have answered, or begun to, before it is known that the rest will not come.
  const framing = request.method === "HEAD" ? "none" : "length";
  const part: Expected = { ...refused, framing, continues: undefined };
  if (request.handler.reads === "all" || request.handler.reads === "all in pieces") return [[part]];
  const early = { ...answer, keeps: undefined, continues: undefined };
  return [[part, early, { ...early, isWhole: false, isReset: request.version === "1.0" }]];
}

/** The answer to one request that arrives whole, or as far as the client is asked to send it. */
export function answerTo(request: ScriptedRequest, number: number): Expected {
  const { method, version, connection, content, handler } = request;
  const { status, body, framing, isWhole } = outcomeOf(request, number);
  const hasContent = content !== undefined && (content.coding === "chunked" || content.pieces.length > 0);
  const isHeldBack = hasContent && content.expects && version === "1.1";
  // Content that is declared to be too long is refused unread.
  const isRead =
    handler.reads !== "nothing" &&
    !(handler.reads === "limited" && isTooLong(request) && content?.coding === "counted");
  const isOldStream = framing === "end";
  const isWanted = connection === "keep-alive" || (version === "1.1" && connection !== "close");
  const isBodiless = method === "HEAD" || status === 204;
  return {
    status,
    body: isBodiless ? "" : body,
    framing: isBodiless ? "none" : framing,
    isWhole,
    isReset: !isWhole && version === "1.0",
    continues: isHeldBack && isRead,
    keeps: isWanted && isWhole && !isOldStream && !(isHeldBack && !isRead),
  };
}

type Outcome = Pick<Expected, "status" | "body" | "framing" | "isWhole">;

/** What the handler makes of the request. */
function outcomeOf(request: ScriptedRequest, number: number): Outcome {
  const { method, version, content, handler } = request;
  const { reads, answer, pieces, failsAt } = handler;
  const whole = (status: number, body: string | undefined): Outcome => ({
    status,
    body,
    framing: "length",
    isWhole: true,
  });
  if (reads === "limited" && isTooLong(request)) return whole(413, undefined);
  if (answer === "error") return whole(500, undefined);
  const echo = reads === "all" || reads === "all in pieces" ? (content?.pieces.join("") ?? "") : "";
  if (answer === "whole") return whole(200, `${number} ${echo}`);
  if (answer === "empty") return whole(204, "");
  // The body of an answer to HEAD is not begun.
  if (method === "HEAD") return whole(200, "");
  if (failsAt === 0) return whole(500, undefined);
  if (pieces.length === 0) return whole(200, "");
  const unsized = version === "1.1" ? "chunked" : "end";
  const framing = answer === "sized stream" ? "length" : unsized;
  return { status: 200, body: pieces.slice(0, failsAt).join(""), framing, isWhole: failsAt === undefined };
}

const isTooLong = ({ content }: ScriptedRequest): boolean => (content?.pieces.join("").length ?? 0) > contentLimit;

/** The target of the request with this number. */
export const targetOf = (number: number): string => `/${number}`;
