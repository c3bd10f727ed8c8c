// Finds the code blocks of a document and the comment that says whether each is run. The comments
// are described in docs/contributing.md.

/** A block of code in a document. */
export interface Block {
  /** Location, as path and line. */
  readonly place: string;
  readonly language: string;
  readonly code: string;
  readonly mark: "run" | "run with server" | "not run" | "none";
}

/** The languages whose blocks must have a mark. */
const RUNNABLE: Readonly<Record<string, string>> = {
  bash: "sh",
  sh: "sh",
  shell: "sh",
  ts: "ts",
  typescript: "ts",
  python: "python",
  py: "python",
};

/** Lists the blocks that could be run. */
export function blocksOf(path: string, text: string): Block[] {
  const blocks: Block[] = [];
  const lines = text.split("\n");
  let comment = "";
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const fence = /^(\s*)```(\w*)/.exec(line);
    if (fence === null) {
      // A comment holds for the block that follows it, also after an empty line.
      if (line.trim() !== "") comment = line.trim();
      continue;
    }
    const end = lines.findIndex((other, index) => index > at && other.trim() === "```");
    const last = end < 0 ? lines.length : end;
    const language = RUNNABLE[fence[2] ?? ""];
    if (language !== undefined) {
      const code = lines.slice(at + 1, last).map((other) => other.slice(fence[1]?.length ?? 0));
      const place = `${path}:${at + 1}`;
      blocks.push({ place, language, code: `${code.join("\n")}\n`, mark: markOf(comment) });
    }
    comment = "";
    at = last;
  }
  return blocks;
}

function markOf(comment: string): Block["mark"] {
  const text = /^<!-- (.*) -->$/.exec(comment)?.[1] ?? "";
  if (text === "run" || text === "run with server") return text;
  return /^not run: \S/.test(text) ? "not run" : "none";
}
