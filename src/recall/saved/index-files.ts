// The files in which the indexes of namespaces survive a restart. Each holds words of its
// namespace, so it is deleted as soon as anything of it is erased; a file that is still being
// written then is deleted when it is done.
//
// A file is written under another name and moved in place. While it is read it has another name as
// well, so that one whose reading ends the process is not read again.

import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { open, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { readHeader } from "./file.ts";

/** The folder of the files in a data directory. */
export const INDEX_FOLDER = "recall";

/** The place of the files, and the space that they leave free on the disk. */
export interface IndexFileSettings {
  readonly directory: string;
  /** They are given up when the disk has less free space than this. */
  readonly freeBytes: number;
  /** Indexes of fewer records are made anew so fast that they are not saved. Default 1,000. */
  readonly itemsMin?: number;
}

const ITEMS_MIN = 1_000;
const SUFFIX = { whole: ".idx", loading: ".loading", writing: ".writing" } as const;
/** Hexadecimal digits of the digest of a namespace. */
const NAME_DIGITS = 40;
/** Names are asked for at every change, so they are kept; all are dropped when there are more. */
const NAMES_KEPT_MAX = 1_000;

/** A disk, or a directory, that does not take or give what it should. */
export class IndexFileError extends Error {
  override readonly name = "IndexFileError";

  constructor(work: "written" | "read" | "deleted", code: string) {
    super(`A file of the recall index could not be ${work}: ${code}. Recall works without it.`);
  }
}

/** The outcome of a write of one file. */
type Written =
  | { readonly kind: "saved" | "changed" }
  | { readonly kind: "failed"; readonly code: string };

/** The files of a data directory. Nobody else touches them. */
export class IndexFiles {
  readonly itemsMin: number;
  readonly #directory: string;
  readonly #freeBytes: number;
  readonly #onError: (error: unknown) => void;
  /** Names of the files that are whole. */
  readonly #names = new Set<string>();
  /** Counts the erasures of a namespace whose file is being written or read. */
  readonly #erasures = new Map<string, number>();
  readonly #underWay = new Map<string, Promise<unknown>>();
  readonly #namesOf = new Map<string, string>();
  #isUsable = false;

  /** Deletes files that a killed server left half done. Without a directory there are none. */
  constructor(settings: IndexFileSettings, onError: (error: unknown) => void) {
    this.itemsMin = settings.itemsMin ?? ITEMS_MIN;
    this.#directory = settings.directory;
    this.#freeBytes = settings.freeBytes;
    this.#onError = onError;
    try {
      mkdirSync(settings.directory, { recursive: true, mode: 0o700 });
      for (const name of readdirSync(settings.directory)) {
        if (name.endsWith(SUFFIX.whole)) this.#names.add(name.slice(0, -SUFFIX.whole.length));
        else rmSync(join(settings.directory, name), { recursive: true, force: true });
      }
      this.#isUsable = true;
    } catch (error) {
      onError(new IndexFileError("read", codeOf(error)));
    }
  }

  has(namespace: string): boolean {
    return this.#isUsable && this.#names.has(this.#nameOf(namespace));
  }

  /** Whether there is a file, or is about to be. */
  mayHave(namespace: string): boolean {
    if (this.#names.size + this.#underWay.size === 0) return false;
    const name = this.#nameOf(namespace);
    return this.#names.has(name) || this.#underWay.has(name);
  }

  /** The header of a file; undefined when there is no such file, or it is damaged. */
  async headerOf(namespace: string): Promise<string | undefined> {
    if (!this.has(namespace)) return undefined;
    try {
      return await readHeader(this.#path(this.#nameOf(namespace), SUFFIX.whole));
    } catch {
      return undefined;
    }
  }

  /** Has a file read. It is gone afterwards when `load` gives nothing or fails. */
  async load<T>(
    namespace: string,
    load: (path: string) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const name = this.#nameOf(namespace);
    if (!this.has(namespace)) return undefined;
    return await this.#exclusive(name, async (isErased) => {
      const [path, aside] = [this.#path(name, SUFFIX.whole), this.#path(name, SUFFIX.loading)];
      let loaded: T | undefined;
      try {
        if (this.#move(path, aside)) loaded = await load(aside);
      } finally {
        const isKept = loaded !== undefined && !isErased() && this.#move(aside, path);
        if (!isKept) await this.erase(namespace).catch(this.#onError);
      }
      return loaded;
    });
  }

  /** Has a file written, in place of the one before. Gives whether it is there. */
  async save(namespace: string, write: (path: string) => Promise<Written>): Promise<Written> {
    if (!this.#isUsable) return { kind: "changed" };
    const name = this.#nameOf(namespace);
    return await this.#exclusive(name, async (isErased) => {
      const path = this.#path(name, SUFFIX.writing);
      try {
        const outcome = await write(path);
        if (outcome.kind !== "saved") return outcome;
        if (isErased()) return { kind: "changed" };
        renameSync(path, this.#path(name, SUFFIX.whole));
        this.#names.add(name);
        await this.#sync();
        return outcome;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === undefined) throw error;
        return { kind: "failed", code };
      } finally {
        await rm(path, { force: true }).catch(() => {});
      }
    });
  }

  /** Deletes the file of a namespace. Rejects with IndexFileError when it may still be there. */
  async erase(namespace: string): Promise<void> {
    if (this.mayHave(namespace)) await this.#erase(this.#nameOf(namespace));
  }

  /** Deletes the file of a namespace for good: also one that is being written or read. */
  async eraseForGood(namespace: string): Promise<void> {
    if (!this.#isUsable) return;
    const name = this.#nameOf(namespace);
    await this.#erase(name);
    await this.#underWay.get(name)?.catch(() => {});
    await this.#erase(name);
    await this.#sync();
  }

  /** Deletes the files of all other namespaces. */
  async keepOnly(namespaces: Iterable<string>): Promise<void> {
    const kept = new Set([...namespaces].map((one) => this.#nameOf(one)));
    for (const name of [...this.#names]) if (!kept.has(name)) await this.#erase(name);
  }

  /** Writes no more files. */
  close(): void {
    this.#isUsable = false;
  }

  /** Whether there is room for a file of about this size. When the disk is low, all files go. */
  async hasRoom(bytes: number): Promise<boolean> {
    if (!this.#isUsable) return false;
    if (this.#freeBytes === 0) return true;
    const { bavail, bsize } = await statfs(this.#directory);
    if (bavail * bsize < this.#freeBytes) await this.keepOnly([]);
    return bavail * bsize - bytes >= this.#freeBytes;
  }

  /** Runs one work on a file at a time. */
  async #exclusive<T>(name: string, work: (isErased: () => boolean) => Promise<T>): Promise<T> {
    while (this.#underWay.has(name)) await this.#underWay.get(name)?.catch(() => {});
    this.#erasures.set(name, 0);
    const running = work(() => this.#erasures.get(name) !== 0).finally(() => {
      this.#underWay.delete(name);
      this.#erasures.delete(name);
    });
    this.#underWay.set(name, running);
    return await running;
  }

  async #erase(name: string): Promise<void> {
    const count = this.#erasures.get(name);
    if (count !== undefined) this.#erasures.set(name, count + 1);
    if (!this.#names.delete(name) && count === undefined) return;
    try {
      for (const suffix of Object.values(SUFFIX)) {
        await rm(this.#path(name, suffix), { force: true });
      }
    } catch (error) {
      this.#names.add(name);
      throw new IndexFileError("deleted", codeOf(error));
    }
  }

  /** Makes names and deletions durable. */
  async #sync(): Promise<void> {
    const handle = await open(this.#directory, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  /** Gives a file another name; false when the disk refuses that. */
  #move(from: string, to: string): boolean {
    try {
      renameSync(from, to);
      return true;
    } catch (error) {
      this.#onError(new IndexFileError("read", codeOf(error)));
      return false;
    }
  }

  /** The name of the files of a namespace, which says nothing of it. */
  #nameOf(namespace: string): string {
    const known = this.#namesOf.get(namespace);
    if (known !== undefined) return known;
    const name = createHash("sha256").update(namespace).digest("hex").slice(0, NAME_DIGITS);
    if (this.#namesOf.size >= NAMES_KEPT_MAX) this.#namesOf.clear();
    this.#namesOf.set(namespace, name);
    return name;
  }

  #path(name: string, suffix: string): string {
    return join(this.#directory, `${name}${suffix}`);
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "unknown";
}
