// The text of results. Whatever was stored stands between marks that say that it is data, and can
// neither close nor imitate them.

import { FENCE_CLOSE, withoutMarks, withoutUnseen } from "../context/rules/fence.ts";

/** Names of what stands between the marks. */
export type DataSource = "memory" | "messages" | "recall";

/** Marks a text as data. */
export function fenced(source: DataSource, lines: readonly string[]): string {
  const inside = lines.map((line) => withoutMarks(withoutUnseen(line)));
  return [`<data source="${source}">`, ...inside, FENCE_CLOSE].join("\n");
}
