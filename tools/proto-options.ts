// The language options of the contract: one rule gives them for every file, so that no two files
// can differ. `npm run gen` writes them; `npm run verify` compares.
//
// The names are public: generated code of every language stands under them, and v1 is frozen: they
// never change. docs/contributing.md says which of them must be registered, and where.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** Packages that clients generate code from. Only the server uses the records on disk. */
const PUBLIC = ["proto/memorysidecar/v1/*.proto", "proto/memorysidecar/hook/v1/*.proto"];
const GO_MODULE = "github.com/memory-sidecar/memory-sidecar/clients/go";

/** `memorysidecar.hook.v1` in the case of C#, PHP and Ruby: ["MemorySidecar", "Hook", "V1"]. */
function pascalParts(parts: readonly string[]): string[] {
  return parts.map((part) =>
    part === "memorysidecar" ? "MemorySidecar" : part.charAt(0).toUpperCase() + part.slice(1),
  );
}

/** The option lines of a file, in the order in which `buf format` keeps them. */
export function languageOptions(protoPackage: string, fileName: string): string[] {
  const parts = protoPackage.split(".");
  const words = basename(fileName, ".proto").split("_");
  const outer = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  const pascal = pascalParts(parts);
  return [
    `option csharp_namespace = "${pascal.join(".")}";`,
    `option go_package = "${GO_MODULE}/${parts.join("/")};${parts.join("")}";`,
    "option java_multiple_files = true;",
    `option java_outer_classname = "${outer}Proto";`,
    `option java_package = "io.${protoPackage}";`,
    `option php_namespace = "${pascal.join("\\\\")}";`,
    `option ruby_package = "${pascal.join("::")}";`,
  ];
}

/** Text of a proto file with its options; all other file options are dropped. */
export function withLanguageOptions(text: string, fileName: string): string {
  const protoPackage = /^package ([\w.]+);$/m.exec(text)?.[1];
  if (protoPackage === undefined) throw new Error(`${fileName} has no package`);
  const bare = text.replace(/^option .*;\n\n?/gm, "");
  const head = /^(?:syntax|package|import) .*;$/gm;
  let end = 0;
  for (const match of bare.matchAll(head)) end = match.index + match[0].length;
  const options = languageOptions(protoPackage, fileName).join("\n");
  return `${bare.slice(0, end)}\n\n${options}\n\n${bare.slice(end).trimStart()}`;
}

/** Lists the files with wrong options, and corrects them on request. */
export function staleOptions(root: string, { write }: { readonly write: boolean }): string[] {
  return globSync(PUBLIC, { cwd: root })
    .sort()
    .filter((path) => {
      const file = join(root, path);
      const text = readFileSync(file, "utf8");
      const fresh = withLanguageOptions(text, path);
      if (fresh === text) return false;
      if (write) writeFileSync(file, fresh);
      return true;
    });
}
