import { overload } from "waymark";
import { computing, serveWork } from "./work.ts";

await serveWork(computing, [overload()]);
