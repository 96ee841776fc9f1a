import { overload } from "waymark/filters";
import { computing, serveWork } from "./work.ts";

await serveWork(computing, [overload()]);
