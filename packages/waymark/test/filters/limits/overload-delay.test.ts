import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import { GET, HttpRequest, router, text } from "waymark";
import { overload } from "waymark/filters";
import type { EventLoopTurn } from "../../../src/exchange/answer-recording.ts";
import type { OverloadOptions } from "../../../src/filters/limits/overload.ts";

/** What comes to a process that computes answers one after the other, on a clock of its own. All times are in milliseconds. */
interface Load {
  /** When each request comes, in order. */
  readonly arrivals: readonly number[];
  /** How long an answer takes. Default: 2, so that 500 a second are the most. */
  readonly work?: number | ((arrival: number) => number);
  /** How long a refusal takes. Default: 0.02. */
  readonly refusing?: number;
  readonly target?: (arrival: number) => string;
}

interface Answered {
  readonly arrival: number;
  readonly status: number;
  /** From the arrival to the answer. */
  readonly took: number;
}

/** A model of the event loop: a turn reads all that has come by its beginning. */
async function answerAll(load: Load, options: OverloadOptions = {}): Promise<readonly Answered[]> {
  const { arrivals, work = 2, refusing = 0.02, target = () => "/work" } = load;
  let time = 0;
  const clock = mock.method(performance, "now", () => time);
  let arrival = 0;
  const answer = () => {
    time += typeof work === "number" ? work : work(arrival);
    return text("done");
  };
  const app = router(
    { filters: [overload({ except: ({ path }) => path === "/health", ...options })] },
    GET("/work", answer),
    GET("/health", () => text("well")),
  );
  const answers: Answered[] = [];
  let turn: EventLoopTurn = { began: 0, previous: 0 };
  while (answers.length < arrivals.length) {
    const rests = (arrivals[answers.length] ?? 0) > time;
    if (rests) time = arrivals[answers.length] ?? 0;
    turn = { began: time, previous: rests ? 0 : time - turn.began };
    const read = arrivals.slice(answers.length).findIndex((next) => next > turn.began);
    const end = read < 0 ? arrivals.length : answers.length + read;
    for (arrival of arrivals.slice(answers.length, end)) {
      const { status } = await app.handle(HttpRequest.of({ target: target(arrival), turn }));
      if (status === 503) time += refusing;
      answers.push({ arrival, status, took: time - arrival });
    }
  }
  clock.mock.restore();
  return answers;
}

/** So many a second, for so many seconds. */
const steadily = (perSecond: number, seconds: number, from = 0): number[] =>
  Array.from({ length: perSecond * seconds }, (_, i) => from + (i * 1000) / perSecond);

const count = (answers: readonly Answered[], status: number, within = Number.POSITIVE_INFINITY): number =>
  answers.filter((answer) => answer.status === status && answer.took <= within).length;

const peak = 500;
const patience = 1000;
const seconds = 5;

describe("overload by delay", () => {
  for (const times of [0.1, 0.5, 1]) {
    it(`refuses nothing at ${times} times what can be answered`, async () => {
      assert.equal(count(await answerAll({ arrivals: steadily(peak * times, seconds) }), 503), 0);
    });
  }

  for (const [times, share] of [
    [1.5, 0.97],
    [2, 0.97],
    [5, 0.94],
    [10, 0.88],
  ] as const) {
    it(`answers ${share} of the most in time at ${times} times that, where all would be late`, async () => {
      const load = { arrivals: steadily(peak * times, seconds) };
      const answers = await answerAll(load);
      assert.ok(count(answers, 200, patience) >= share * peak * seconds);
      assert.equal(count(answers, 200, patience), count(answers, 200), "none of them too late");
      assert.ok(answers.filter(({ arrival }) => arrival > 2000).every(({ took }) => took < 2 * 250));
      const late = await answerAll(load, { maxDelay: 1e9 });
      assert.ok(count(late, 200, patience) < count(answers, 200, patience));
    });
  }

  it("answers at least half of the time clients that come again as soon as they are refused", async () => {
    // Each turn reads a request of every client.
    const clients = 1000;
    let time = 0;
    const clock = mock.method(performance, "now", () => time);
    const app = router(
      { filters: [overload()] },
      GET("/", () => {
        time += 2;
        return text("done");
      }),
    );
    let answered = 0;
    let begun = 0;
    let turn: EventLoopTurn = { began: 0, previous: 0 };
    for (let turns = 0; turns < 50; turns++) {
      turn = { began: time, previous: time - turn.began };
      if (turns === 10) answered = 0;
      for (let i = 0; i < clients; i++) {
        if ((await app.handle(HttpRequest.of({ turn }))).status === 200) answered++;
        else time += 0.02;
      }
      if (turns === 9) begun = time;
    }
    clock.mock.restore();
    assert.ok(answered * 2 >= 0.5 * (time - begun));
  });

  it("answers the sooner, the lower the bound", async () => {
    const longest = async (maxDelay: number): Promise<number> => {
      const answers = await answerAll({ arrivals: steadily(5 * peak, 5) }, { maxDelay });
      return Math.max(...answers.filter(({ arrival }) => arrival > 2000).map(({ took }) => took));
    };
    assert.ok((await longest(50)) < (await longest(500)) / 5);
  });

  it("lets a burst pass", async () => {
    const burst = Array.from({ length: 200 }, () => 0);
    assert.equal(count(await answerAll({ arrivals: [...burst, ...steadily(100, 5, 1)] }), 503), 0);
  });

  it("refuses nothing that waited for a single slow request", async () => {
    const arrivals = [0, ...steadily(100, 10, 1)];
    assert.equal(count(await answerAll({ arrivals, work: (arrival) => (arrival === 0 ? 400 : 2) }), 503), 0);
    assert.equal(
      count(await answerAll({ arrivals: [0, 10, 20], work: (arrival) => (arrival === 0 ? 9000 : 2) }), 503),
      0,
    );
  });

  it("goes on with requests that take longer than the bound each", async () => {
    const answers = await answerAll({ arrivals: steadily(20, 60), work: 400, refusing: 0.02 });
    assert.ok(count(answers, 200, patience) > 0.95 * (60_000 / 400));
  });

  it("takes everything again once there is less", async () => {
    const answers = await answerAll({ arrivals: [...steadily(10 * peak, 3), ...steadily(0.9 * peak, 10, 3000)] });
    assert.ok(count(answers, 503) > 0);
    assert.equal(answers.filter(({ arrival, status }) => arrival > 4000 && status === 503).length, 0);
  });

  it("never refuses what is excepted", async () => {
    const answers = await answerAll({
      arrivals: steadily(10 * peak, 3),
      target: (arrival) => (arrival % 100 === 0 ? "/health" : "/work"),
    });
    const checks = answers.filter(({ arrival }) => arrival % 100 === 0);
    assert.equal(checks.length, 30);
    assert.equal(count(checks, 200, patience), 30);
  });

  it("has no say where the turns of the event loop are not known", async () => {
    const app = router(
      { filters: [overload({ maxDelay: 1 })] },
      GET("/", () => text("done")),
    );
    for (let i = 0; i < 100; i++) assert.equal((await app.handle(HttpRequest.of())).status, 200);
  });

  for (const maxDelay of [0, 0.5, Number.NaN]) {
    it(`refuses maxDelay: ${maxDelay}`, () => {
      assert.throws(() => overload({ maxDelay }), {
        name: "RangeError",
        message: `maxDelay must be a whole number, 1 or more, not ${maxDelay}`,
      });
    });
  }
});
