// Numbers for texts that repeat: authors, users, values of labels and metadata.

/** What a text of a map costs beside its characters: the text's head, the entry, the list. */
const ENTRY_BYTES = 72;

/** Gives each different text a number: 0 for the empty one, then 1, 2, 3. */
export class Interner {
  private readonly ids = new Map<string, number>([["", 0]]);
  private readonly texts: string[] = [""];
  /** Bytes that it takes, about. */
  bytes = ENTRY_BYTES;

  /** The number of a text, a new one when it has none yet. */
  add(text: string): number {
    const known = this.ids.get(text);
    if (known !== undefined) return known;
    const id = this.texts.length;
    this.ids.set(text, id);
    this.texts.push(text);
    this.bytes += ENTRY_BYTES + textBytes(text);
    return id;
  }

  /** The number of a text, or undefined when it has none. */
  find(text: string): number | undefined {
    return this.ids.get(text);
  }

  /** The text of a number. */
  textOf(id: number): string {
    return this.texts[id] ?? "";
  }
}

/** Bytes of the characters of a text in memory, about: most are of one byte each. */
export function textBytes(text: string): number {
  return (text.length + 7) & ~7;
}
