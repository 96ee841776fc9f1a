import { describeListTags } from "./list-tags.ts";

describeListTags(500);
