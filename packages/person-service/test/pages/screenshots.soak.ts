import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findChromium } from "../../../waymark/test/chromium.ts";
import { openFolder } from "../../../waymark/test/folder.ts";
import { makePictures, picturesShown } from "./screenshots.ts";

describe("npm run screenshots", {
  skip: findChromium() === undefined && "there is no Chromium on this machine",
}, () => {
  const { root: folder } = openFolder("screenshots");

  it("makes each picture of the page in the docs", async () => {
    assert.deepEqual(await makePictures(folder), await picturesShown());
  });
});
