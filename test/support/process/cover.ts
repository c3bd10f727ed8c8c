// Messages and summaries that can be checked against each other: a message contains its number, and
// a summary the numbers that it covers, so a text proves its sources.

/** The text of a message with its number. */
export function numbered(number: number, words = "and some words that nobody needs"): string {
  return `#${number} ${words}`.padEnd(120, " so it goes,");
}

/** The numbers in a text, of messages and of coverage, ascending. */
export function numbersIn(text: string): number[] {
  const found = new Set<number>();
  for (const [, number] of text.matchAll(/#(\d+) /g)) found.add(Number(number));
  for (const [, runs = ""] of text.matchAll(/covers ([\d,-]+)/g)) {
    for (const run of runs.split(",")) {
      const [first = 0, last = first] = run.split("-").map(Number);
      for (let number = first; number <= last; number++) found.add(number);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Numbers as runs: `1-3,7`. */
export function runsOf(numbers: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last !== undefined && number === last[1] + 1) last[1] = number;
    else runs.push([number, number]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

/** A summary that states its coverage of texts. Empty when they contain no numbers. */
export function coverOf(...texts: readonly string[]): string {
  const numbers = numbersIn(texts.join("\n"));
  return numbers.length === 0 ? "" : `covers ${runsOf(numbers)}`;
}
