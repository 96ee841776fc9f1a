import type { Socket } from "node:net";
import { HttpError } from "../../problem.ts";
import type { HttpResponse } from "../../response.ts";
import type { Output } from "../output.ts";
import type { MessageReader } from "./message-reader.ts";

/** What becomes of what is read. */
export interface IntakeOwner {
  /** Whether no more requests are answered. */
  readonly isEnding: boolean;
  /** Refuses what cannot be read. */
  refuse(refusal: HttpResponse): void;
  /** Called when everything has been read that can be read now. */
  caughtUp(): void;
}

/** The receiving side of a connection: lets its reader read in turns between which others are served. */
export class Intake {
  readonly #socket: Socket;
  readonly #reader: MessageReader;
  readonly #output: Output;
  readonly #owner: IntakeOwner;
  #isReading = false;
  #isScheduled = false;

  constructor(socket: Socket, reader: MessageReader, output: Output, owner: IntakeOwner) {
    this.#socket = socket;
    this.#reader = reader;
    this.#output = output;
    this.#owner = owner;
  }

  /** Whether something is being read now. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Whether there is more to read in the next turn of the event loop. */
  get isScheduled(): boolean {
    return this.#isScheduled;
  }

  /** Reads as far as what has arrived allows; the answers that are made meanwhile are one write. */
  advance(): void {
    if (this.#isReading || this.#owner.isEnding) return;
    this.#isReading = true;
    this.#output.gather();
    try {
      if (this.#reader.read()) this.#advanceLater();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      this.#owner.refuse(error.response);
    }
    this.#isReading = false;
    this.#output.flush();
    if (this.#owner.isEnding) return;
    this.#owner.caughtUp();
    this.regulate();
  }

  /** Lets the event loop turn: others wait. */
  #advanceLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.advance();
    });
  }

  /** Lets the client send no more than can be read. */
  regulate(): void {
    const { isFull } = this.#reader;
    if (isFull === this.#socket.isPaused()) return;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }
}
