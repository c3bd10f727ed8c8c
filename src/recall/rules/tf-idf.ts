// Cosine of TF-IDF vectors, scored exactly as another system's vector store does, for programs that
// move here from it. Every document is compared with the query, so collections must be moderate.

/** A document: its text, or the vector that was given with it, whose positions are its terms. */
export type TfIdfContent = { readonly text: string } | { readonly vector: Iterable<number> };

/** A document with its score. */
export interface TfIdfMatch {
  readonly position: number;
  readonly score: number;
}

/** The terms and limits of a search. */
export interface TfIdfSearch {
  readonly text: string;
  readonly limit: number;
  /** Leaves out what scores lower; undefined leaves nothing out. */
  readonly minScore: number | undefined;
  /** Documents that may be given. All others count for the rarity of terms all the same. */
  readonly accept: (position: number) => boolean;
}

interface Entry {
  readonly terms: Uint32Array;
  /** Share of each term in the document. */
  readonly shares: Float64Array;
  /** Length of its vector; made when it is first needed after a change of any document. */
  norm: number;
}

/** The entry of a map, the objects and two arrays, without their numbers; about. */
const ENTRY_BYTES = 500;
const PAIR_BYTES = 12;
const TERM_BYTES = 80;

/** Gives the terms: runs of `a-z0-9` in the lower-cased text, with repeats. */
function tokensOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

/** The documents of one collection. */
export class TfIdfIndex {
  readonly #entries = new Map<number, Entry>();
  readonly #termIds = new Map<string, number>();
  readonly #documentCounts: number[] = [];
  #normsValid = false;
  #ownBytes = 0;

  get count(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#ownBytes + this.#termIds.size * TERM_BYTES;
  }

  /** Adds a document, or replaces the one at its position. */
  put(position: number, content: TfIdfContent): void {
    this.remove(position);
    const shares = "text" in content ? textShares(content.text) : vectorShares(content.vector);
    const entry = {
      terms: Uint32Array.from(shares.keys(), (term) => this.#idOf(term)),
      shares: Float64Array.from(shares.values()),
      norm: 0,
    };
    this.#entries.set(position, entry);
    this.#tally(entry, 1);
  }

  /** Takes a document away, if it is there. */
  remove(position: number): void {
    const entry = this.#entries.get(position);
    if (entry === undefined) return;
    this.#entries.delete(position);
    this.#tally(entry, -1);
  }

  /**
   * Gives the documents by falling score, equal ones by rising position; those that score 0 as
   * well. The first search after a change takes longer.
   */
  search({ text, limit, minScore, accept }: TfIdfSearch): TfIdfMatch[] {
    const rarities = this.#rarities();
    if (!this.#normsValid) this.#measure(rarities);
    const query = this.#queryVector(text, rarities);
    const matches: TfIdfMatch[] = [];
    for (const [position, entry] of this.#entries) {
      if (!accept(position)) continue;
      const score = dotOf(entry, rarities, query);
      if (minScore === undefined || score >= minScore) matches.push({ position, score });
    }
    matches.sort((a, b) => b.score - a.score || a.position - b.position);
    return matches.slice(0, limit);
  }

  #idOf(term: string): number {
    const known = this.#termIds.get(term);
    if (known !== undefined) return known;
    const id = this.#documentCounts.length;
    this.#termIds.set(term, id);
    this.#documentCounts.push(0);
    return id;
  }

  #tally({ terms }: Entry, by: 1 | -1): void {
    for (const term of terms) this.#documentCounts[term] = (this.#documentCounts[term] ?? 0) + by;
    this.#ownBytes += by * (ENTRY_BYTES + terms.length * PAIR_BYTES);
    this.#normsValid = false;
  }

  /** The rarity of every term, by its id. */
  #rarities(): Float64Array {
    return Float64Array.from(this.#documentCounts, (count) => this.#rarityOf(count));
  }

  #rarityOf(documents: number): number {
    return Math.log(1 + this.count) - Math.log(1 + documents);
  }

  #measure(rarities: Float64Array): void {
    for (const entry of this.#entries.values()) {
      let sum = 0;
      for (const [place, term] of entry.terms.entries()) {
        sum += ((entry.shares[place] ?? 0) * (rarities[term] ?? 0)) ** 2;
      }
      entry.norm = Math.sqrt(sum);
    }
    this.#normsValid = true;
  }

  /** The vector of the query at length 1, by the ids of its terms. */
  #queryVector(text: string, rarities: Float64Array): Float64Array {
    const vector = new Float64Array(rarities.length);
    let sum = 0;
    for (const [term, share] of textShares(text)) {
      const id = this.#termIds.get(term);
      const value = share * (id === undefined ? this.#rarityOf(0) : (rarities[id] ?? 0));
      sum += value ** 2;
      if (id !== undefined) vector[id] = value;
    }
    const norm = Math.sqrt(sum);
    return norm === 0 ? vector : vector.map((value) => value / norm);
  }
}

function dotOf({ terms, shares, norm }: Entry, rarities: Float64Array, query: Float64Array) {
  let sum = 0;
  for (let place = 0; place < terms.length; place++) {
    const term = terms[place] ?? 0;
    const weight = query[term] ?? 0;
    if (weight !== 0) sum += (shares[place] ?? 0) * (rarities[term] ?? 0) * weight;
  }
  return norm === 0 ? 0 : sum / norm;
}

function textShares(text: string): Map<string, number> {
  const tokens = tokensOf(text);
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  for (const [token, count] of counts) counts.set(token, count / tokens.length);
  return counts;
}

function vectorShares(values: Iterable<number>): Map<string, number> {
  const all = [...values];
  const norm = Math.sqrt(all.reduce((sum, value) => sum + value * value, 0));
  return new Map(all.map((value, place) => [String(place), norm === 0 ? value : value / norm]));
}
