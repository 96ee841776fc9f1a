import { followChanges } from "./changes.ts";
import { prepareForms } from "./form.ts";
import { prepareKeys } from "./keys.ts";
import { leadBack, reloadWhenShownAgain, showNote, showScripted, suggestCountries } from "./page.ts";

prepareKeys();
showScripted();
showNote();
reloadWhenShownAgain();
leadBack();
suggestCountries();
prepareForms();
followChanges();
