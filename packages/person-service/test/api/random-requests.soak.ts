import { describeRandomRequests } from "./random-requests.ts";

describeRandomRequests(50_000);
