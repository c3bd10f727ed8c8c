// The picture in docs/architecture.md: the floors of src, and the imports between the rooms of the
// use cases, derived from the code.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HOUSE, roomOf } from "../test/support/tidy/house.ts";
import { importsOf } from "../test/support/tidy/imports.ts";
import { ROOT } from "./process.ts";
import { withTable } from "./tables.ts";

const USE_CASES = "use cases";

/** Imports between rooms, as the code has them. */
function arrows(): ReadonlyMap<string, ReadonlySet<string>> {
  const files = execFileSync("git", ["ls-files", "-co", "--exclude-standard", "src"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const found = new Map<string, Set<string>>();
  for (const path of files.split("\n")) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts") || path.startsWith("src/gen/")) continue;
    const from = roomOf(path);
    const targets = found.get(from) ?? new Set();
    found.set(from, targets);
    for (const { target } of importsOf(path, readFileSync(join(ROOT, path), "utf8"))) {
      if (target === undefined || target.startsWith("src/gen/")) continue;
      const to = roomOf(target);
      if (to !== from) targets.add(to);
    }
  }
  return found;
}

/** Drops an arrow that a path over other rooms implies. */
function reduced(all: ReadonlyMap<string, ReadonlySet<string>>): Map<string, Set<string>> {
  const reaches = (from: string, to: string): boolean =>
    [...(all.get(from) ?? [])].some((next) => next === to || reaches(next, to));
  const result = new Map<string, Set<string>>();
  for (const [from, targets] of all) {
    const kept = [...targets].filter(
      (to) => ![...targets].some((other) => other !== to && reaches(other, to)),
    );
    result.set(from, new Set(kept));
  }
  return result;
}

/** The picture as Mermaid source. */
export function housePicture(): string {
  const useCases = HOUSE.find(({ name }) => name === USE_CASES)?.rooms ?? [];
  const found = arrows();
  const between = new Map(
    useCases.map((room) => [
      room,
      // An exception that points up is not part of the plan, and would close a cycle.
      new Set(
        useCases.slice(0, useCases.indexOf(room)).filter((to) => found.get(room)?.has(to) === true),
      ),
    ]),
  );
  const id = (name: string): string => name.replaceAll(/[^a-z]/gu, "_");
  const lines = ["flowchart TB"];
  for (const { name, rooms } of HOUSE.toReversed()) {
    if (name === USE_CASES) {
      lines.push(`  subgraph ${id(name)}["${name}"]`);
      for (const room of rooms) lines.push(`    ${id(room)}["${room}"]`);
      for (const [from, targets] of reduced(between)) {
        for (const to of targets) lines.push(`    ${id(from)} --> ${id(to)}`);
      }
      lines.push("  end");
    } else {
      const text = rooms.length === 1 ? name : `<b>${name}</b><br>${rooms.join(", ")}`;
      lines.push(`  ${id(name)}["${text}"]`);
    }
  }
  const names = HOUSE.toReversed().map(({ name }) => id(name));
  for (const [index, name] of names.entries()) {
    const below = names[index + 1];
    if (below !== undefined) lines.push(`  ${name} ==> ${below}`);
  }
  return ["```mermaid", ...lines, "```"].join("\n");
}

/** Writes the picture between its two marks. Throws when a mark is missing. */
export function withHouse(text: string): string {
  return withTable(text, "house", housePicture());
}
