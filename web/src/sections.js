// What stands under the map: one section per finding, each a sentence, a chart and its numbers.

import { barChart, dataTable, densityChart, heatmap, lineChart } from "./charts.js";
import { announce, byId, element } from "./dom.js";

const CHARTS = { line: lineChart, bars: barChart, heatmap, density: densityChart };

export function showSections(meta) {
  const place = byId("sections");
  for (const section of meta.sections) {
    const id = `section-${section.id}`;
    const block = element("section", { class: section.isWide ? "card wide" : "card", "aria-labelledby": id });
    block.append(element("h2", { id }, section.title));
    for (const sentence of section.sentences) block.append(element("p", {}, sentence));
    if (section.list) block.append(element("ul", {}, ...section.list.map((line) => element("li", {}, line))));
    if (section.chart) {
      const name = `${section.title}. ${section.sentences.join(" ")}`;
      block.append(element("div", { role: "img", "aria-label": name, class: "figure" }, CHARTS[section.chart.kind](section.chart)));
    }
    if (section.table) block.append(dataTable(section.table.header, section.table.rows));
    if (section.code) block.append(commandBlock(section.code));
    place.append(block);
  }
}

export function showWarnings(warnings) {
  const place = byId("warnings");
  place.hidden = warnings.length === 0;
  byId("warning-list").replaceChildren(...warnings.map((sentence) => element("li", {}, sentence)));
}

function commandBlock(command) {
  const code = element("code", {}, command);
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    document.execCommand("copy");
    announce("Command copied.");
  });
  return element("div", { class: "command" }, element("pre", { tabindex: "0" }, code), copy);
}
