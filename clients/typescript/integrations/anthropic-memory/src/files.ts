// Files and directories as records.
//
// Each is a record, so that what the model wrote comes back byte for byte. Every command that
// changes something is one transaction under conditions, so that two writers never mix:
//
// - It names the etags of what it has read. If one has changed, the command reads again.
// - A directory is written again when something is put into it. A deletion or a move of the
//   directory names the etags of all that it holds, and so never passes over a file that came in
//   meanwhile.

import type {
  MemorySidecar,
  RecordInput,
  RecordOperationInput,
  ScopeInput,
  UploadedValue,
} from "@memory-sidecar/client";
import {
  BATCH_BYTES,
  MAX_OPERATIONS,
  readWhole,
  type Stored,
  tryWrite,
  uploadAll,
} from "@memory-sidecar/client/adapters";
import { MemoryToolError } from "./errors.ts";
import { type Names, namesAt, namesOf, placeOf, textOf } from "./paths.ts";
import * as texts from "./texts.ts";

const DIRECTORY = "inode/directory";
const FILE = "text/plain";
const MAX_DOCUMENTS = 1_000;
/**
 * Number of values that are uploaded for one command. A move is one transaction whatever it holds,
 * so it may have more of them than each of those that the adapters split writes into.
 */
const MAX_MOVED = 32;
const PAGE = 1_000;
const HIDDEN = "node_modules";

/** The place and the owner of the files of a tool. */
export interface FilesOptions {
  /** Path of the records. */
  readonly root: Names;
  readonly owner: ScopeInput;
  /** The documents by which searches find files; undefined for none. */
  readonly collectionId: string | undefined;
}

/** A file that is to be written. */
interface File {
  readonly names: Names;
  readonly value: Uint8Array;
  readonly pieces: readonly string[];
}

/** The records at paths, by the texts of the paths. */
type States = ReadonlyMap<string, Stored | undefined>;
/** Values that were sent before the call that puts them, by their files. */
type Sent = ReadonlyMap<File, UploadedValue>;

/** The files of one tool. */
export class Files {
  readonly #client: MemorySidecar;
  readonly #options: FilesOptions;

  constructor(client: MemorySidecar, options: FilesOptions) {
    this.#client = client;
    this.#options = options;
  }

  async view(shown: string, range?: readonly number[] | null): Promise<string> {
    const names = namesOf(shown);
    if (names.length > 0) {
      const record = await this.#read(names);
      if (record === undefined) throw texts.missing(shown);
      if (record.mediaType !== DIRECTORY) {
        return texts.fileView(shown, texts.decoded(record.value, shown), range);
      }
    }
    return texts.directoryView(shown, await this.#entries(names, "", 2));
  }

  async create(shown: string, text: string): Promise<string> {
    const names = namesOf(shown);
    const file = this.#file(names, texts.encoded(text));
    for (;;) {
      const states = await this.#states(names);
      if (names.length === 0 || states.get(textOf(names)) !== undefined) {
        throw new MemoryToolError(`File ${shown} already exists`);
      }
      const operations = this.#parents(names, states);
      operations.push(this.#put(file, await this.#upload([file], shown)));
      if (await tryWrite(this.#client, operations)) return `File created successfully at: ${shown}`;
    }
  }

  async edit(shown: string, change: (text: string) => texts.Edit): Promise<string> {
    const names = namesOf(shown);
    for (;;) {
      const record = names.length > 0 ? await this.#read(names) : undefined;
      if (names.length > 0 && record === undefined) throw texts.missing(shown);
      if (record === undefined || record.mediaType === DIRECTORY) {
        throw new MemoryToolError(`The path ${shown} is not a file.`);
      }
      const [text, answer] = change(texts.decoded(record.value, shown));
      const file = this.#file(names, texts.encoded(text));
      const put = this.#put(file, await this.#upload([file], shown), record.etag);
      if (await tryWrite(this.#client, [put])) return answer;
    }
  }

  async delete(shown: string): Promise<string> {
    const names = namesOf(shown);
    if (names.length === 0) {
      throw new MemoryToolError("Cannot delete the /memories directory itself");
    }
    for (;;) {
      const record = (await this.#states(names)).get(textOf(names));
      if (record === undefined) throw new MemoryToolError(`The path ${shown} does not exist`);
      const below = record.mediaType === DIRECTORY ? await this.#below(names) : [];
      // A directory comes after all that it holds, so that a part of this leaves a whole tree.
      let operations = [...below.reverse(), record].map(deletion);
      for (;;) {
        const batch = operations.slice(0, MAX_OPERATIONS);
        if (batch.length === 0 || !(await tryWrite(this.#client, batch))) break;
        operations = operations.slice(MAX_OPERATIONS);
      }
      if (operations.length === 0) return `Successfully deleted ${shown}`;
    }
  }

  async rename(oldShown: string, newShown: string): Promise<string> {
    const [from, to] = [namesOf(oldShown), namesOf(newShown)];
    if (from.length === 0) {
      throw new MemoryToolError("Cannot rename the /memories directory itself");
    }
    for (;;) {
      const states = await this.#states(to, from);
      if (to.length === 0 || states.get(textOf(to)) !== undefined) {
        throw new MemoryToolError(`The destination ${newShown} already exists`);
      }
      const record = states.get(textOf(from));
      if (record === undefined) throw new MemoryToolError(`The path ${oldShown} does not exist`);
      if (from.every((name, index) => to[index] === name)) {
        throw new MemoryToolError(
          `Cannot rename ${oldShown} to ${newShown}: it would be in itself`,
        );
      }
      const moved = [record, ...(await this.#below(from))];
      const operations = [...this.#parents(to, states), ...moved.map(deletion)];
      if (operations.length + moved.length > MAX_OPERATIONS) throw tooLarge(oldShown);
      const puts = await this.#moved(moved, { from, to, shown: oldShown });
      if (puts !== undefined && (await tryWrite(this.#client, [...operations, ...puts]))) {
        return `Successfully renamed ${oldShown} to ${newShown}`;
      }
    }
  }

  /** Makes the operations that put records in their new places; undefined if one has changed. */
  async #moved(
    moved: readonly Stored[],
    way: { readonly from: Names; readonly to: Names; readonly shown: string },
  ): Promise<RecordOperationInput[] | undefined> {
    const { from, shown, to } = way;
    const files: File[] = [];
    const puts: RecordOperationInput[] = [];
    for (const record of moved) {
      const old = this.#names(record);
      const names = [...to, ...old.slice(from.length)];
      if (record.mediaType === DIRECTORY) {
        puts.push(this.#directory(names));
        continue;
      }
      const whole = await this.#read(old);
      if (whole?.etag !== record.etag) return undefined;
      files.push(this.#file(names, whole.value));
    }
    const documents = files.reduce((sum, { pieces }) => sum + pieces.length, 0);
    if (documents > MAX_DOCUMENTS) throw tooLarge(shown);
    const sent = await this.#upload(files, shown);
    return [...puts, ...files.map((file) => this.#put(file, sent))];
  }

  /** Lists a directory as a view shows it: sizes and names, hidden ones left out. */
  async #entries(names: Names, prefix: string, depth: number): Promise<[number, string][]> {
    const children = new Map<string, Stored>();
    const options = { pageSize: PAGE };
    for await (const record of this.#client.listRecords(this.#path(names), options)) {
      children.set(this.#names(record).at(-1) ?? "", record);
    }
    const found: [number, string][] = [];
    for (const name of [...children.keys()].sort()) {
      if (name.startsWith(".") || name === HIDDEN) continue;
      const record = children.get(name);
      if (record?.mediaType !== DIRECTORY) {
        found.push([Number(record?.valueSize), `${prefix}${name}`]);
        continue;
      }
      found.push([texts.DIRECTORY_SIZE, `${prefix}${name}/`]);
      if (depth < 2) continue;
      found.push(...(await this.#entries([...names, name], `${prefix}${name}/`, depth - 1)));
    }
    return found;
  }

  /** Lists all that a directory holds, without values, each directory before what is in it. */
  async #below(names: Names): Promise<Stored[]> {
    const found: Stored[] = [];
    const options = { recursive: true, pageSize: PAGE };
    for await (const one of this.#client.listRecords(this.#path(names), options)) found.push(one);
    return found;
  }

  /**
   * Gets what there is at paths, and at the directories on the way to them, of one moment and
   * without values.
   */
  async #states(...paths: readonly Names[]): Promise<States> {
    const wanted = new Map<string, Names>();
    for (const names of paths) {
      for (const index of names.keys()) {
        const part = names.slice(0, index + 1);
        wanted.set(textOf(part), part);
      }
    }
    if (wanted.size === 0) return new Map();
    const places = [...wanted.values()].map((names) => placeOf(this.#options.root, names));
    const lookups = await this.#client.batchGetRecords(places, { omitValue: true });
    return new Map([...wanted.keys()].map((text, index) => [text, lookups[index]?.record]));
  }

  /** Gets a record with its whole value. */
  async #read(names: Names): Promise<Stored | undefined> {
    const { key, path } = placeOf(this.#options.root, names);
    return await readWhole(this.#client, path, key);
  }

  /**
   * Makes the operations for the directories above a new file or directory: those that are missing
   * are made, and the nearest one that is there is written again.
   */
  #parents(names: Names, states: States): RecordOperationInput[] {
    const operations: RecordOperationInput[] = [];
    for (let size = names.length - 1; size > 0; size -= 1) {
      const above = names.slice(0, size);
      const record = states.get(textOf(above));
      if (record !== undefined && record.mediaType !== DIRECTORY) {
        throw new MemoryToolError(`The path ${textOf(above)} is not a directory`);
      }
      operations.push(this.#directory(above, record?.etag));
      if (record !== undefined) break;
    }
    return operations;
  }

  #file(names: Names, value: Uint8Array): File {
    const isFound = this.#options.collectionId !== undefined;
    const pieces = isFound ? texts.piecesOf(Buffer.from(value).toString()) : [];
    return { names, value, pieces };
  }

  /** Sends the largest values before the call that puts them, until the rest fits it. */
  async #upload(files: readonly File[], shown: string): Promise<Sent> {
    const pieceBytes = files.flatMap(({ pieces }) => pieces.map((one) => Buffer.byteLength(one)));
    const sizes = [...pieceBytes, ...files.map(({ value }) => value.length)];
    let size = sizes.reduce((sum, one) => sum + one, 0);
    const large: File[] = [];
    for (const file of [...files].sort((a, b) => b.value.length - a.value.length)) {
      if (size <= BATCH_BYTES || large.length === MAX_MOVED) break;
      large.push(file);
      size -= file.value.length;
    }
    if (size > BATCH_BYTES) throw tooLarge(shown);
    const values = large.map(({ value }) => value);
    const uploads = await uploadAll(this.#client, values, this.#options.owner);
    return new Map(uploads.map((upload, index) => [large[index] as File, upload]));
  }

  #put(file: File, sent: Sent, etag?: string): RecordOperationInput {
    const { names, pieces, value } = file;
    const { collectionId } = this.#options;
    const metadata = { path: textOf(names) };
    const documents = pieces.map((text) => ({ text, metadata }));
    const search = documents.length === 0 ? undefined : { collectionId, documents };
    const content = sent.get(file) ?? { value };
    return { put: { ...this.#record(names, FILE, etag), ...content, search } };
  }

  #directory(names: Names, etag?: string): RecordOperationInput {
    return { put: { ...this.#record(names, DIRECTORY, etag), value: "" } };
  }

  /** The fields of a put: of a record that has this etag, or of a new one. */
  #record(names: Names, mediaType: string, etag?: string): Omit<RecordInput, "value" | "uploadId"> {
    const { owner, root } = this.#options;
    const demand = etag === undefined ? { exists: false } : { etag };
    return { ...placeOf(root, names), mediaType, owner, ...demand };
  }

  /** Gives the path of the records in a directory. */
  #path(names: Names): Names {
    const { root } = this.#options;
    if (names.length === 0) return root;
    const { key, path } = placeOf(root, names);
    return [...path, key];
  }

  #names(record: Stored): Names {
    return namesAt(this.#options.root, record);
  }
}

function deletion({ etag, key, path }: Stored): RecordOperationInput {
  return { delete: { path, key, etag } };
}

function tooLarge(shown: string): MemoryToolError {
  return new MemoryToolError(
    `${shown} is too large to rename at once. Rename what it holds, a part at a time.`,
  );
}
