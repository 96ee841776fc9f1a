import { around, type Filter, type HttpRequest, type Next } from "waymark";
import type { Site } from "./frame/site.ts";
import { importPage } from "./import/page.ts";
import { importQuery } from "./import/tried-import.ts";
import { chooseColumn } from "./list/columns.ts";
import { tidyForms } from "./list/query.ts";
import { review, reviewPage } from "./list/review.ts";
import { newPersonPage } from "./person/new-person.ts";

/** What browsers get of a list besides its page: its tidy address, and by its query or a form another page. For the group of the list. */
export const listPages = (site: Site): readonly Filter[] => [tidyForms, answerByPage(site)];

/** Where the reader may not store people, the forms are not there. */
function answerByPage(site: Site): Filter {
  const mayStore = (request: HttpRequest): boolean => site.may(request, "POST", request.path);
  return around(
    function showOtherPage(request: HttpRequest, next: Next): ReturnType<Next> {
      if (request.negotiatedType !== "text/html") return next(request);
      const shown = request.attribute(review);
      if (shown !== undefined) return reviewPage(site, request, shown);
      const column = request.query.get("column");
      if (column !== null) return chooseColumn(site.members, request, column);
      if (request.search === "new" && mayStore(request)) return newPersonPage(site, request);
      if (importQuery.test(request.search) && mayStore(request)) return importPage(site, request);
      return next(request);
    },
    {
      repeatable: true,
      describes: {
        query: {
          column: { description: "For a browser: a column to add, or to remove." },
          import: { description: "For a browser: the form of an import." },
          new: { description: "For a browser: the form of a new person." },
        },
        responses: {
          303: {
            description: "The columns of the list are chosen; `Location` is the list with them.",
            headers: { Location: { description: "The list." }, "Set-Cookie": { description: "The choice." } },
          },
        },
      },
    },
  );
}
