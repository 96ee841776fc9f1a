import { LoadRefused, StoreNotEmpty, StoreOpenError, StoreUnavailable } from "@waymark/collection";
import { ListenError } from "waymark/node";
import { FileMistakes } from "./access/json-file.ts";
import { CommandRefused } from "./commands/command.ts";

/** What the person who runs the program can mend, and how, in one line; undefined for a fault of ours. */
export function obstacleOf(error: unknown): string | undefined {
  return told.some((type) => error instanceof type) ? (error as Error).message : undefined; // each of these is one
}

const told = [StoreOpenError, StoreUnavailable, StoreNotEmpty, LoadRefused, ListenError, FileMistakes, CommandRefused];
