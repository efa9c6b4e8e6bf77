// Light or dark: as the system says, until the reader chooses.

const dark = () => window.matchMedia("(prefers-color-scheme: dark)");

export function currentTheme() {
  return document.documentElement.dataset.theme ?? (dark().matches ? "dark" : "light");
}

export function setUpTheme(button, changed) {
  const show = () => {
    button.textContent = currentTheme() === "dark" ? "Light theme" : "Dark theme";
    changed();
  };
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = currentTheme() === "dark" ? "light" : "dark";
    show();
  });
  dark().addEventListener("change", show);
  show();
}
