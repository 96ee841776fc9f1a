import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/** The path of this machine's Chromium or Chrome, if it has one; best of the one without windows, which takes half of the processor. */
export function findChromium(): string | undefined {
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  const onPath = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...onPath, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"].find((path) => existsSync(path));
}

/** Starts it without a window and without a word to anybody but the pages; its profile is new, and removed afterwards. */
export function launchChromium(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    // Its sandbox does not work for root.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      ...["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
      ...["--disable-component-update", "--disable-sync", "--accept-lang=en-US", `--disable-features=${needless}`],
    ],
  });
}

/**
 * What no test needs: that of Playwright's own list, which this replaces; the pages behind the address bar, which take longer
 * for each window than the page in it; and a process kept ready for a next site, which a window of one site never uses.
 */
const needless = [
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "PaintHolding"],
  ...["HttpsFirstBalancedModeAutoEnable", "LensOverlay", "MediaRouter", "ThirdPartyStoragePartitioning"],
  ...["AvoidCorsURLLoaderRestartOnRedirect", "OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled"],
  ...["PreconnectToSearch", "SpareRendererForSitePerProcess", "WebUIOmniboxPopup", "WebUIOmniboxAimPopup"],
].join(",");
