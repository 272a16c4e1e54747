import js from "@eslint/js";
import globals from "globals";

export default [
  js.configs.recommended,
  {
    languageOptions: { globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: true },
    rules: { "max-lines-per-function": ["error", 60], "no-unused-vars": ["error", { argsIgnorePattern: "^_" }] },
  },
  { files: ["test/**", "*.config.js"], languageOptions: { globals: globals.node } },
];
