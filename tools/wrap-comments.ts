// Wraps comments that are too long, as part of `npm run fix`: the formatter leaves comments alone.

const COLUMNS = 100;
const COMMENT = /^(\s*(?:\/\/|#|\*) )(\S.*)$/;
// Marks that must stay at the start of their line.
const KEEPS_ITS_LINE = /^([-*] |\d+\. |@\w+|biome-|!|\|)/;

/** Moves the words that do not fit to the next line of the same paragraph. */
export function wrapComments(text: string): string {
  const lines = text.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const found = COMMENT.exec(line);
    if (line.length <= COLUMNS || found === null) continue;
    const [, prefix = "", words = ""] = found;
    const cut = words.lastIndexOf(" ", COLUMNS - prefix.length);
    if (cut <= 0) continue;
    lines[at] = prefix + words.slice(0, cut);
    const rest = words.slice(cut + 1);
    const next = COMMENT.exec(lines[at + 1] ?? "");
    if (next !== null && next[1] === prefix && !KEEPS_ITS_LINE.test(next[2] ?? "")) {
      lines[at + 1] = `${prefix}${rest} ${next[2]}`;
    } else {
      lines.splice(at + 1, 0, prefix + rest);
    }
  }
  return lines.join("\n");
}
