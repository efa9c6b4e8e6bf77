// What the theme leaves out for keyboards and screen readers: axe-core finds nothing wrong after it.
document.addEventListener("DOMContentLoaded", () => {
  for (const caption of document.querySelectorAll('p.caption[role="heading"]')) caption.setAttribute("aria-level", "2");
  document.querySelector("aside.sidebar-drawer")?.setAttribute("aria-label", "All pages");
  document.querySelector("aside.toc-drawer")?.setAttribute("aria-label", "On this page");
  // What scrolls can be reached by Tab, and has a name.
  for (const box of document.querySelectorAll(".highlight pre, .table-wrapper, .cell_output pre")) {
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", box.matches(".table-wrapper") ? "Table" : "Code");
  }
});
