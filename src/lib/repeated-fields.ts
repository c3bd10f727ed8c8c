// JSON.parse takes the last of two fields with one name and drops the first without a word.

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|[{}[\]]/g;

/**
 * Gives the names of fields that stand twice in one object of a text, each once. The text
 * must be JSON: what it gives for any other text means nothing.
 */
export function repeatedFields(json: string): readonly string[] {
  const open: Set<string>[] = [];
  const repeated = new Set<string>();
  for (const [token, text = "", colon] of json.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(new Set());
    else if (token === "}" || token === "]") open.pop();
    else if (colon !== undefined) {
      const name: unknown = JSON.parse(text);
      const names = open.at(-1);
      if (typeof name !== "string" || names === undefined) continue;
      if (names.has(name)) repeated.add(name);
      names.add(name);
    }
  }
  return [...repeated];
}
