import { describeRandomRequests } from "./random-requests.ts";

describeRandomRequests(2000);
