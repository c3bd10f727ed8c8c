// Back-ups in object storage that speaks the protocol of S3: two objects under a prefix, the data
// file and the manifest. The manifest comes last, once the data file was read back and is sound, so
// a back-up without one does not count.

import { createHash } from "node:crypto";
import { createWriteStream, mkdirSync, openAsBlob } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { S3Client } from "@bradenmacdonald/s3-lite-client";
import { recordCorrupt } from "../../kit/errors.ts";
import { DATA_FILE } from "../engine/environment.ts";
import { type BackUp, MANIFEST_FILE, readManifest } from "./back-up.ts";

/** The address of an object store, and the credentials. */
export interface ObjectStore {
  /** The URL of its interface. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKey: string;
  readonly secretKey: string;
  /** The session token of temporary credentials. */
  readonly sessionToken: string | undefined;
}

/** A place in an object store. */
export interface ObjectPlace {
  readonly bucket: string;
  /** Without slashes at its ends; may be empty. */
  readonly prefix: string;
}

/** Progress of a transfer. */
export interface TransferProgress {
  readonly step: "uploading" | "reading back" | "downloading";
  readonly bytes: number;
  readonly totalBytes: number;
}

/** Options of a transfer. */
export interface TransferOptions {
  /** The back-up on this machine. */
  readonly directory: string;
  readonly onProgress?: (progress: TransferProgress) => void;
}

/** A back-up in an object store. */
export interface StoredBackUp {
  /** The prefix of its objects: `s3://BUCKET/PREFIX/NAME`. */
  readonly url: string;
  /** Older back-ups of the same store that were removed. */
  readonly removed: readonly string[];
}

// Four parts are in memory at a time. An object has at most 10,000.
const PART_BYTES = 16_777_216;
const PARTS_MAX = 9_000;

/** Reads `s3://BUCKET/PREFIX`; undefined for anything else. */
export function parseObjectPlace(text: string): ObjectPlace | undefined {
  const [, bucket, prefix = ""] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(text) ?? [];
  if (bucket === undefined) return undefined;
  return { bucket, prefix: prefix.replace(/^\/+|\/+$/g, "") };
}

/**
 * Puts a back-up of this machine under a prefix, reads it back, and removes the oldest ones of the
 * same store beyond `keep`. Throws RECORD_CORRUPT when other bytes come back; they are removed.
 */
export async function uploadBackUp(
  store: ObjectStore,
  place: ObjectPlace,
  options: TransferOptions & { readonly keep?: number | undefined },
): Promise<StoredBackUp> {
  return await toldBy(place, async () => await upload(await connect(store, place), place, options));
}

async function upload(
  client: S3Client,
  place: ObjectPlace,
  options: TransferOptions & { readonly keep?: number | undefined },
): Promise<StoredBackUp> {
  const { directory, keep, onProgress } = options;
  const manifest = readManifest(directory);
  if (manifest === undefined) throw new Error(`There is no back-up in ${directory}.`);
  const name = new Date(manifest.startMs).toISOString().replaceAll(":", "");
  const folder = under(place.prefix, name);
  const { bytes } = manifest;
  onProgress?.({ step: "uploading", bytes: 0, totalBytes: bytes });
  const data = await openAsBlob(join(directory, DATA_FILE));
  const partSize = Math.max(PART_BYTES, Math.ceil(bytes / PARTS_MAX));
  const key = under(folder, DATA_FILE);
  await client.putObject(key, data.stream(), { size: bytes, partSize });
  onProgress?.({ step: "reading back", bytes: 0, totalBytes: bytes });
  const hash = createHash("sha256");
  await pipeline(await read(client, key), hash);
  if (hash.digest("hex") !== manifest.sha256) {
    await client.deleteObject(key);
    throw recordCorrupt(`the object store gives other bytes back than it got: ${key}`);
  }
  await client.putObject(
    under(folder, MANIFEST_FILE),
    await readFile(join(directory, MANIFEST_FILE)),
  );
  const removed = keep === undefined ? [] : await removeOldest(client, place, manifest, keep);
  return { url: `s3://${place.bucket}/${folder}`, removed };
}

/**
 * Fetches a back-up into a new directory: the one at the place, or the newest one below it. What
 * came is not checked; `restore` does that.
 */
export async function downloadBackUp(
  store: ObjectStore,
  place: ObjectPlace,
  options: TransferOptions,
): Promise<void> {
  await toldBy(place, async () => await download(await connect(store, place), place, options));
}

async function download(
  client: S3Client,
  place: ObjectPlace,
  { directory, onProgress }: TransferOptions,
): Promise<void> {
  const folder = (await foldersIn(client, place)).at(-1);
  if (folder === undefined) {
    throw new Error(`There is no complete back-up in s3://${place.bucket}/${place.prefix}.`);
  }
  mkdirSync(directory, { mode: 0o700 });
  const { bytes: totalBytes } = await readStored(client, folder);
  onProgress?.({ step: "downloading", bytes: 0, totalBytes });
  for (const name of [DATA_FILE, MANIFEST_FILE]) {
    const file = createWriteStream(join(directory, name), { mode: 0o600 });
    await pipeline(await read(client, under(folder, name)), file);
  }
}

/** Says which bucket an object store refuses, and by which code: its texts alone say neither. */
async function toldBy<T>({ bucket }: ObjectPlace, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof Error && "statusCode" in error && "code" in error && error.code;
    if (typeof code !== "string" || !(error instanceof Error)) throw error;
    throw new Error(`The object store refuses s3://${bucket}: ${code}: ${error.message}`, {
      cause: error,
    });
  }
}

async function connect(store: ObjectStore, { bucket }: ObjectPlace): Promise<S3Client> {
  const { S3Client } = await import("@bradenmacdonald/s3-lite-client");
  const { endpoint, region, accessKey, secretKey, sessionToken } = store;
  return new S3Client({
    ...{ endPoint: endpoint, region, bucket, accessKey, secretKey },
    ...(sessionToken === undefined ? {} : { sessionToken }),
  });
}

function under(prefix: string, name: string): string {
  return prefix === "" ? name : `${prefix}/${name}`;
}

async function read(client: S3Client, key: string): Promise<Readable> {
  const { body } = await client.getObject(key);
  if (body === null) throw new Error(`The object store gives ${key} without content.`);
  return Readable.from(body);
}

async function readStored(client: S3Client, folder: string): Promise<BackUp> {
  const answer = await client.getObject(under(folder, MANIFEST_FILE));
  return (await answer.json()) as BackUp;
}

/** The prefixes of the complete back-ups at a place and below it, the oldest first. */
async function foldersIn(client: S3Client, { prefix }: ObjectPlace): Promise<readonly string[]> {
  const folders: string[] = [];
  const end = `/${MANIFEST_FILE}`;
  for await (const { key } of client.listObjects({ prefix: prefix === "" ? "" : `${prefix}/` })) {
    if (key.endsWith(end)) folders.push(key.slice(0, -end.length));
  }
  // Their own names are times, whatever is before them.
  const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf("/") + 1);
  return folders.sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

async function removeOldest(
  client: S3Client,
  place: ObjectPlace,
  { storeId }: BackUp,
  keep: number,
): Promise<readonly string[]> {
  const own: string[] = [];
  for (const folder of await foldersIn(client, place)) {
    if ((await readStored(client, folder)).storeId === storeId) own.push(folder);
  }
  const removed = own.slice(0, Math.max(0, own.length - keep));
  for (const folder of removed) {
    // The manifest first: what is left of a removal that breaks off does not count as a back-up.
    for (const name of [MANIFEST_FILE, DATA_FILE]) await client.deleteObject(under(folder, name));
  }
  return removed.map((folder) => `s3://${place.bucket}/${folder}`);
}
