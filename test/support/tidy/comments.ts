// Comments name their subject first. One that opens with a question word leaves the noun to the
// reader: "Input of a stage" says more than "What a stage needs".

import { isGenerated, type Project } from "./project.ts";

const FOLDERS = /^(src|test|tools|bench|proto|clients)\//;
const CODE = /\.(ts|js|proto|py|rs|go|java|kt)$/;

/** A word that opens a comment, and the comment's mark. */
const OPENING =
  /^(?<before>.*?)(?<mark>\/\/|\/\*\*?|^\s*\*|#|""")\s*(?<word>What(ever)?|How|Where|Which|Who|Why)\b/;

/** The question word that opens a comment on a line, if the line before did not begin it. */
function questionWord(line: string, before: string): string | undefined {
  const found = OPENING.exec(line)?.groups;
  return found !== undefined && opens(found, before) ? found["word"] : undefined;
}

function opens(found: Readonly<Record<string, string>>, before: string): boolean {
  const mark = found["mark"]?.trim();
  if (mark === "*") return /\/\*\*?\s*$/.test(before);
  const isFirst = !before.trimStart().startsWith(mark ?? "");
  if (mark === "//" || mark === "#") {
    return found["before"]?.trim() === "" ? isFirst : /[;,{}()]\s+$/.test(found["before"] ?? "");
  }
  return found["before"]?.trim() === "";
}

/** Names every comment that opens with a question word. */
export function commentProblems(project: Project): string[] {
  const problems: string[] = [];
  for (const [path, text] of project) {
    if (!FOLDERS.test(path) || !CODE.test(path) || isGenerated(path)) continue;
    const lines = text.split("\n");
    lines.forEach((line, index) => {
      const word = questionWord(line, lines[index - 1] ?? "");
      if (word === undefined) return;
      problems.push(`${path}:${index + 1}: a comment opens with "${word}"; name its subject first`);
    });
  }
  return problems;
}
