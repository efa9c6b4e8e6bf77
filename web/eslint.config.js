import js from "@eslint/js";

const browser = [
  "document", "window", "navigator", "location", "performance", "console", "getComputedStyle", "getSelection", "matchMedia",
  "requestAnimationFrame", "cancelAnimationFrame", "setTimeout", "clearTimeout", "atob", "Blob", "Response", "URL",
  "URLSearchParams", "DecompressionStream", "TextDecoder", "ImageData", "ResizeObserver",
];

export default [
  js.configs.recommended,
  {
    languageOptions: {
      ecmaVersion: 2023,
      sourceType: "module",
      globals: Object.fromEntries(browser.map((name) => [name, "readonly"])),
    },
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-shadow": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text is never parsed as HTML: use element() of dom.js." },
        { property: "outerHTML", message: "Text is never parsed as HTML: use element() of dom.js." },
        { property: "insertAdjacentHTML", message: "Text is never parsed as HTML: use element() of dom.js." },
      ],
      "max-len": ["error", { code: 140 }],
    },
  },
];
