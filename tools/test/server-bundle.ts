// Packs the sources of the server into few files, for the tests that start it. A start from the
// sources reads, resolves and links some 300 modules, which is a third of its time.

import { symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Plugin, rolldown } from "rolldown";
import { ROOT } from "../process.ts";

const SOURCES = join(ROOT, "src");

/** Leaves each module the place of its source: from there it finds its workers and its tables. */
const PLACES: Plugin = {
  name: "places",
  transform: (code, id) => {
    if (!id.startsWith(SOURCES)) return null;
    const places = { url: pathToFileURL(id).href, filename: id, dirname: dirname(id) };
    return code.replace(
      /\bimport\.meta\.(url|filename|dirname)\b/g,
      (_, name: keyof typeof places) => JSON.stringify(places[name]),
    );
  },
};

/** Packs the server into an absent folder; returns the path of its main file. */
export async function bundleServer(folder: string): Promise<string> {
  const input = join(SOURCES, "main.ts");
  // The packages stay as they are: some are native, some read files beside their own.
  const external = (name: string): boolean => /^[^./]/.test(name);
  await using bundle = await rolldown({ input, external, plugins: [PLACES], platform: "node" });
  await bundle.write({ dir: folder, entryFileNames: "main.js" });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return join(folder, "main.js");
}
