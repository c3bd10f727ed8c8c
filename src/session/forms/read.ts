// Reads the documents of other systems. What is small is read at once. A large document would stop
// every other call for as long as it takes, so it is read in a thread of its own, one at a time.

import { Worker } from "node:worker_threads";
import { AppError, snapshotInvalid, windowFull } from "../../domain/errors.ts";
import { LIMITS } from "../../domain/limits.ts";
import type { Policy } from "../../domain/policy.ts";
import { expandPreset } from "../../domain/presets/index.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import type { MessageDraft } from "../../service/api.ts";
import type { DocumentCodec, DocumentFormat, DocumentSession } from "../../service/snapshot-api.ts";
import { toDraft } from "../convert/message.ts";
import { checkId, checkStruct, checkText } from "../validate/fields.ts";
import { checkWholeMessage } from "../validate/message.ts";
import { Violations } from "../validate/violations.ts";
import type { DocumentTask } from "./document-worker.ts";
import { metadataField, type ParsedDocument, type ParseResult, parseDocument } from "./parse.ts";

/** Takes about 5 ms, as long as other calls may wait. */
const INLINE_BYTES_MAX = 65_536;
/**
 * Far more than a document takes whose size and number of values are bounded: to reach it would
 * end the process.
 */
const HEAP_MB = 2_048;
const NOTHING = new Uint8Array(0);
/** Messages checked before other work gets its turn. */
const PIECE = 256;

/** Reads documents, and stops when told to. */
export class DocumentReader implements DocumentCodec {
  #worker: Worker | undefined;
  #closed = false;
  /** Ends with the last document under way. */
  #tail: Promise<unknown> = Promise.resolve();

  async read(format: DocumentFormat, document: Uint8Array): Promise<DocumentSession> {
    const result =
      document.length <= INLINE_BYTES_MAX
        ? parseDocument(format, document)
        : await this.#inTurn({ format, document });
    if ("full" in result) throw windowFull(result.full);
    if ("violations" in result) throw snapshotInvalid(result.violations);
    return await sessionOf(format, result.parsed);
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#worker?.terminate();
  }

  #inTurn(task: DocumentTask): Promise<ParseResult> {
    const turn = this.#tail.then(() => this.#inThread(task));
    this.#tail = turn.catch(() => undefined);
    return turn;
  }

  #inThread(task: DocumentTask): Promise<ParseResult> {
    if (this.#closed) throw new AppError("SHUTTING_DOWN", "The server is stopping. Retry.");
    const extension = import.meta.filename.endsWith(".ts") ? "ts" : "js";
    const document = new Uint8Array(task.document);
    const worker = new Worker(new URL(`./document-worker.${extension}`, import.meta.url), {
      workerData: { format: task.format, document },
      transferList: [document.buffer],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    worker.unref();
    this.#worker = worker;
    return new Promise<ParseResult>((resolve, reject) => {
      worker.on("message", resolve);
      worker.on("error", reject);
      worker.on("exit", () => reject(stopped()));
    }).finally(() => worker.terminate());
  }
}

function stopped(): AppError {
  return new AppError("SHUTTING_DOWN", "The reading of the document was stopped. Retry.");
}

async function sessionOf(format: DocumentFormat, parsed: ParsedDocument): Promise<DocumentSession> {
  const { metadata, options, outside, summaries, summaryText, userId } = parsed;
  const violations = new Violations();
  checkText(violations, "summary", summaryText, LIMITS.summaryBytes);
  checkText(violations, "user_id", userId ?? "", LIMITS.userIdBytes);
  checkStruct(violations, metadataField(format), metadata ?? NOTHING, LIMITS.metadataBytes);
  for (const { messageId, text } of summaries) {
    checkText(violations, "entries.content", text, LIMITS.summaryBytes);
    checkId(violations, "entries.memory_id", messageId, LIMITS.messageIdBytes);
  }
  refuse(violations);
  const policy = policyOf(format, options);
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(parsed.hasPolicy ? { policy } : {}),
    defaultPolicy: policy,
    summaryText,
    messages: await draftsOf(format, parsed.messages),
    outside,
    summaries,
  };
}

function policyOf(format: DocumentFormat, options: ParsedDocument["options"]): Policy {
  const expanded = expandPreset(format, options);
  if ("policy" in expanded) return expanded.policy;
  throw snapshotInvalid(expanded.faults);
}

async function draftsOf(
  format: DocumentFormat,
  messages: readonly Uint8Array[],
): Promise<readonly MessageDraft[]> {
  const drafts: MessageDraft[] = [];
  const field = format === "definable" ? "entries" : "messages";
  for (const [index, bytes] of messages.entries()) {
    if (index > 0 && index % PIECE === 0) await new Promise((resolve) => setImmediate(resolve));
    const message = Message.decode(bytes);
    const violations = new Violations();
    violations.enterItem(field, index);
    checkWholeMessage(violations, message);
    refuse(violations);
    drafts.push(toDraft(message));
  }
  return drafts;
}

function refuse(violations: Violations): void {
  const fault = violations.error();
  if (fault !== undefined) throw snapshotInvalid(fault.detail.violations ?? []);
}
