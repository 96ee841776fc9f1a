import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** In bytes, once the garbage is collected. */
export function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
  return process.memoryUsage().heapUsed;
}
