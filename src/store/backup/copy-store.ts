// A copy of a store at one moment, made beside the process that serves it (copy-child.ts).

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setPriority } from "node:os";
import { extname } from "node:path";
import { recordCorrupt } from "../../kit/errors.ts";

/** A message of the child. */
export type CopyMessage =
  | { readonly kind: "progress"; readonly copied: number; readonly total: number }
  | { readonly kind: "done"; readonly bytes: number; readonly sha256: string }
  | { readonly kind: "damaged" | "failed"; readonly problem: string };

/** Progress of work on a store. */
export interface CopyProgress {
  readonly step: "copying" | "verifying";
  /** Bytes of the copy so far. */
  readonly bytes: number;
  /** Bytes of the whole copy. */
  readonly totalBytes: number;
}

/** Options of every copy. */
export interface CopyOptions {
  /** The most bytes a second. Default 0: no bound. */
  readonly bytesPerSecond?: number;
  /** Bytes that stay free on the disk of the copy. Default 0. */
  readonly freeBytes?: number;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Gives the copy up. */
  readonly signal?: AbortSignal;
}

/** A finished copy. */
export interface CopiedFile {
  readonly bytes: number;
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string;
}

/** A new file for the copy, or a function that takes it chunk by chunk and is waited for. */
export type CopyTarget = string | ((chunk: Uint8Array) => Promise<void>);

/** Niceness of work on copies: behind a server when both want the processor. */
export const NICE = 10;
const STDERR_MAX = 2_000;

/**
 * Copies the data file of a store that is served or not, in its newest state. What only the redo
 * log holds is not in it. Throws RECORD_CORRUPT when a page or a record is damaged. What was
 * written to the target before a failure is left there.
 */
export async function copyStore(
  directory: string,
  target: CopyTarget,
  options: CopyOptions = {},
): Promise<CopiedFile> {
  const { bytesPerSecond = 0, freeBytes = 0, signal } = options;
  signal?.throwIfAborted();
  const entry = new URL(`./copy-child${extname(import.meta.filename)}`, import.meta.url);
  const file = typeof target === "string" ? target : "-";
  const child = spawn(
    process.execPath,
    [entry.pathname, directory, file, String(bytesPerSecond), String(freeBytes)],
    { stdio: ["ignore", "pipe", "pipe", "ipc"] },
  );
  const giveUp = (): void => {
    child.stdout?.destroy();
    if (child.connected) child.disconnect();
  };
  signal?.addEventListener("abort", giveUp, { once: true });
  try {
    const outcome = outcomeOf(child, options);
    if (typeof target !== "string") {
      for await (const chunk of child.stdout ?? []) await target(chunk as Uint8Array);
    }
    return await outcome;
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener("abort", giveUp);
    giveUp();
  }
}

async function outcomeOf(child: ChildProcess, { onProgress }: CopyOptions): Promise<CopiedFile> {
  let last: CopyMessage | undefined;
  let complaint = "";
  child.on("message", (message) => {
    last = message as CopyMessage;
    if (last.kind !== "progress") return;
    onProgress?.({ step: "copying", bytes: last.copied, totalBytes: last.total });
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(0, STDERR_MAX);
  });
  await once(child, "spawn");
  try {
    setPriority(child.pid ?? 0, NICE);
  } catch {
    // It has ended already.
  }
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (last?.kind === "done") return { bytes: last.bytes, sha256: last.sha256 };
  if (last?.kind === "damaged") throw recordCorrupt(`found by the copy: ${last.problem}`);
  if (last?.kind === "failed") throw new Error(last.problem);
  // LMDB ends the process on some damage.
  if (signal !== null) throw recordCorrupt(`the copy ended with ${signal}`);
  const line = complaint.split("\n").find((text) => /Error/.test(text));
  throw new Error(`The copy ended with exit code ${code}. ${line ?? ""}`.trim());
}
