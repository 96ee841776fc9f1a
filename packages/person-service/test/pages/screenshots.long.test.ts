import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pictures } from "../../../../scripts/pictures.ts";
import { findChromium } from "../../../waymark/test/chromium.ts";
import { openFolder } from "../../../waymark/test/folder.ts";
import { makePictures, picturesShown } from "./screenshots.ts";

describe("npm run screenshots", {
  skip: findChromium() === undefined && "there is no Chromium on this machine",
}, () => {
  const { root: folder } = openFolder("screenshots");

  it("has each picture of the page in the docs", async () => {
    assert.deepEqual(pictures.map(({ name }) => `people-${name}.png`).toSorted(), await picturesShown());
  });

  // The soak makes all of them.
  it("makes those that are asked for", async () => {
    const files = await makePictures(folder, "list-dark", "edit");
    assert.deepEqual(files, ["people-edit.png", "people-list-dark.png"]);
  });
});
