"""The report in a browser: size of the page, seconds to the first paint, frames per second while panning and zooming.

    python benchmarks/report_page.py [--nodes 200000,1000000] [--neighbors K] [--folder DIR]

Each page is a report on a random lift of Pubmed (`lifted.py`) with the layout "pca": what is drawn is the same number of
nodes whatever laid them out. It is opened from the file system in headless Chromium without a GPU, in a window of 1,400 ×
900. First paint is from the start of the navigation to the frame after the first one with the map. Panning drags the map to
and fro for five seconds, a pointer event per frame; a frame counts when it was drawn by the page, and the slowest is the
longest time between two.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import sparsecut as sc
from lifted import lifted_embedding
from results_file import read_points, write_results

FLAGS = (
    *("--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-gpu", "--enable-unsafe-swiftshader"),
)
CHROMIUM = "/usr/bin/chromium"
TARGETS = {200_000: {"bytes": 40e6, "paint": 5.0, "fps": 30.0}}

DRIVE = """async ([seconds, zooming]) => {
  const canvas = document.getElementById("overlay");
  const scene = window.sparsecut.scene;
  const box = canvas.getBoundingClientRect();
  const [cx, cy] = [box.left + box.width / 2, box.top + box.height / 2];
  const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, {
    pointerId: 1, pointerType: "mouse", isPrimary: true, button: 0, clientX: x, clientY: y, bubbles: true }));
  canvas.setPointerCapture = () => {};
  if (!zooming) send("pointerdown", cx, cy);
  const started = performance.now();
  const first = scene.frames;
  let [last, slowest, drawn, seen] = [started, 0, 0, first];
  await new Promise((done) => {
    const step = (now) => {
      const t = (performance.now() - started) / 1000;
      if (scene.frames > seen) {
        slowest = Math.max(slowest, now - last);
        [last, seen, drawn] = [now, scene.frames, scene.drawn];
      }
      if (t > seconds) return done();
      if (zooming) canvas.dispatchEvent(new WheelEvent("wheel", {
        deltaY: Math.sin(t * 2) > 0 ? -12 : 12, clientX: cx, clientY: cy, bubbles: true, cancelable: true }));
      else send("pointermove", cx + 250 * Math.sin(t * 3), cy + 150 * Math.sin(t * 2));
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  if (!zooming) send("pointerup", cx, cy);
  return { fps: (scene.frames - first) / seconds, slowest, drawn, share: scene.share };
}"""


def make_page(n_nodes: int, folder: Path, n_neighbors: int | None) -> tuple[Path, float]:
    """The report, and the seconds it took once the embedding was there."""
    path = folder / f"report-{n_nodes}.html"
    if path.exists():
        return path, float("nan")
    Z, graph = lifted_embedding("pubmed", n_nodes)
    title = f"Pubmed, lifted to {n_nodes:,} nodes"
    started = time.perf_counter()
    sc.report(Z, path, graph=graph, layout_method="pca", title=title, n_neighbors=n_neighbors, overwrite=True)
    return path, time.perf_counter() - started


def measure(path: Path) -> dict[str, Any]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=true]", timeout=120_000)
        paint = page.evaluate("performance.getEntriesByName('first-paint-of-map')[0].startTime") / 1000
        page.wait_for_selector("html[data-loaded=true]", timeout=120_000)
        page.wait_for_timeout(500)
        pan = page.evaluate(DRIVE, [5, False])
        page.wait_for_timeout(500)
        zoom = page.evaluate(DRIVE, [5, True])
        rest = page.evaluate("new Promise((done) => setTimeout(() => done(window.sparsecut.scene.drawn), 800))")
        heap = page.evaluate("performance.memory ? performance.memory.usedJSHeapSize : 0")
        browser.close()
    assert not errors, errors
    return {
        "bytes": path.stat().st_size,
        "paint": round(paint, 2),
        "pan_fps": round(pan["fps"], 1),
        "pan_slowest_ms": round(pan["slowest"]),
        "pan_drawn": pan["drawn"],
        "zoom_fps": round(zoom["fps"], 1),
        "drawn_at_rest": rest,
        "heap_bytes": heap,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="200000,1000000")
    parser.add_argument("--folder", type=Path, help="where pages are kept and found again [default: a temporary one]")
    parser.add_argument("--neighbors", type=int, help="of each node in the page [default: the report's own]")
    parser.add_argument("--note", help="what the figures need said of the machine, kept with them")
    options = parser.parse_args()
    points = read_points("report_page")
    if options.note:
        points["note"] = options.note
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        for text in options.nodes.split(","):
            path, seconds = make_page(int(text), folder, options.neighbors)
            points[text] = {**points.get(text, {}), **measure(path), "n_neighbors": options.neighbors}
            if seconds == seconds:
                points[text]["report_seconds"] = round(seconds, 1)
            print(text, points[text], flush=True)
            keep(points)


def keep(points: dict[str, Any]) -> None:
    rows = []
    for text, point in points.items():
        if text == "note":
            continue
        target = TARGETS.get(int(text), {})
        for what, value, goal, is_met in (
            ("page, MB", point["bytes"] / 1e6, target.get("bytes", 0) / 1e6, lambda a, b: a < b),
            ("first paint, s", point["paint"], target.get("paint"), lambda a, b: a < b),
            ("panning, frames per second", point["pan_fps"], target.get("fps"), lambda a, b: a > b),
            ("slowest frame of panning, ms", point["pan_slowest_ms"], None, None),
            ("points drawn while panning", point["pan_drawn"], None, None),
            ("points drawn at rest", point["drawn_at_rest"], None, None),
            ("zooming, frames per second", point["zoom_fps"], None, None),
        ):
            limit = None if not goal or is_met is None else f"{'>' if 'frames' in what else '<'} {goal:g}"
            rows.append([int(text), what, value, limit, None if limit is None else bool(is_met(value, goal))])
    write_results(
        "report_page",
        title="The report in a browser",
        about="A report on a random lift of Pubmed, opened from the file system in headless Chromium without a GPU, in a "
        "window of 1,400 × 900.",
        command="python benchmarks/report_page.py",
        tables=[
            {
                "caption": "Pages of the report as users write it, unless a note says otherwise.",
                "columns": ["nodes", "what", "measured", "target", "met"],
                "rows": rows,
            }
        ],
        notes=[
            "Where there is no GPU, as here, the page sets pixels by hand instead of using WebGL, which SwiftShader would "
            "draw on the processor, two to three times slower. While the map moves, a machine that cannot keep up draws a "
            "fair sample of the points, and all of them when it rests.",
            "Above 250,000 nodes in view the map is an image of density, and no points are drawn.",
            *([points["note"]] if "note" in points else []),
            *(
                f"The page of {int(text):,} nodes brings {point['n_neighbors']} neighbours per node."
                for text, point in points.items()
                if text != "note" and point.get("n_neighbors") is not None
            ),
        ],
        points=points,
    )


if __name__ == "__main__":
    main()
