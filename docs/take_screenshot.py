"""The README's picture of the report: the demo's page in headless Chromium, a node chosen.

sparsecut demo && python docs/take_screenshot.py sparsecut-demo/report.html docs/images/report.png
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync")
CHROMIUM = "/usr/bin/chromium"
# The node whose nearest neighbours lie farthest apart on the map: its lines can be seen.
CHOOSE = """() => {
  const { scene, count } = window.sparsecut;
  const spread = (node) => Math.min(...window.sparsecut.neighborsOf(node).slice(0, 8)
    .map((other) => Math.hypot(scene.x[other] - scene.x[node], scene.y[other] - scene.y[node])));
  let best = 0;
  for (let node = 1; node < count; node += 1) if (spread(node) > spread(best)) best = node;
  return window.sparsecut.pick(best, false);
}"""


def main() -> None:
    report, picture = Path(sys.argv[1]), Path(sys.argv[2])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 820}, reduced_motion="reduce")
        page.goto(report.absolute().as_uri())
        page.wait_for_selector("html[data-loaded=true]")
        page.evaluate(CHOOSE)
        page.wait_for_timeout(500)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    # 256 colours are enough for a page and a third of the size.
    image.quantize(256, dither=Image.Dither.NONE).save(picture, optimize=True)
    print(picture, picture.stat().st_size)


if __name__ == "__main__":
    main()
