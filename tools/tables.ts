// Generated tables and pictures in documents.

/** Writes a table between the two marks of its name. Throws when a mark is missing. */
export function withTable(text: string, name: string, table: string): string {
  const [first, last] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const start = text.indexOf(first);
  const end = text.indexOf(last);
  if (start < 0 || end < start) throw new Error(`the page lacks ${first} and ${last}`);
  return `${text.slice(0, start + first.length)}\n\n${table.trim()}\n\n${text.slice(end)}`;
}
