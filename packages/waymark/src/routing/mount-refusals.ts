import { type Attribute, attribute } from "../exchange/exchange.ts";
import { matchPattern, pathSegments } from "../path/pattern.ts";
import type { HttpResponse } from "../response.ts";
import type { RouteData } from "../route.ts";
import { mountsIn } from "./compile.ts";
import { placesOf } from "./dispatch/branch.ts";
import { type AppScope, wrapRefusal } from "./dispatch/pipeline.ts";
import { refuseNotFound } from "./dispatch/refusal.ts";
import type { Refuse } from "./dispatch/route-table.ts";

/** Returns what sends a refusal through the filters of the innermost app that is mounted at its path. */
export function refusalsBelow(routes: readonly RouteData[], scope: AppScope): Refuse {
  const places = mountsIn(routes).flatMap((groups) =>
    placesOf(groups).map((place) => {
      const { mounts } = place;
      const step = wrapRefusal(groups, { ...scope, mounts }, (request) => request.attribute(refusal) ?? refuseNotFound);
      return { ...place, step };
    }),
  );
  if (places.length === 0) return (_, response) => response;
  return (request, response) => {
    const segments = pathSegments(request.path);
    const { method } = request;
    const place = places.find(
      ({ pattern, methods, checks }) =>
        matchPattern(pattern, segments) !== undefined &&
        methods?.has(method) !== false &&
        checks.every(({ matches }) => matches(request, method, segments)),
    );
    return place === undefined ? response : place.step(request.withAttribute(refusal, response));
  };
}

const refusal: Attribute<HttpResponse> = attribute("refusal");
