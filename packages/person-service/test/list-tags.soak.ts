import { describeListTags } from "./list-tags.ts";

describeListTags(10_000);
