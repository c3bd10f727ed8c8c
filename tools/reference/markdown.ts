// Comments of the contract as Markdown.

/** The first sentence of a comment, in one line. */
export function firstSentence(comment: string): string {
  const line = comment.split("\n\n")[0]?.replaceAll("\n", " ") ?? "";
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line;
}

/** A comment as the content of a table cell. */
export function inCell(comment: string): string {
  const blocks = comment
    .split("\n\n")
    .map((block) => block.replace(/\n *- /g, "<br>• ").replace(/\s*\n\s*/g, " "));
  return blocks.join("<br><br>").replaceAll("|", "\\|");
}

/** A table. Every row has as many cells as the head. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Joins non-empty blocks with an empty line between. */
export function page(...blocks: readonly string[]): string {
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}
