// Reads the documents of other systems. What is small is read at once. A large document would stop
// every other call for as long as it takes, so it is read in a thread of its own, one at a time.

import { Worker } from "node:worker_threads";
import type { Format } from "../../compat/common/plain.ts";
import { formatOf } from "../../compat/forms.ts";
import { expandPreset } from "../../compat/presets.ts";
import type { MessageDraft } from "../../core/codec.ts";
import { Message } from "../../gen/memorysidecar/v1/message.ts";
import { checkId, checkStruct, checkText } from "../../grpc/fields.ts";
import { Violations } from "../../grpc/violations.ts";
import { AppError, snapshotInvalid, windowFull } from "../../kit/errors.ts";
import { LIMITS } from "../../kit/limits.ts";
import type { Policy } from "../../window/policy/policy.ts";
import { checkWholeMessage } from "../message-checks.ts";
import { toDraft } from "../message-wire.ts";
import type { DocumentCodec, DocumentSession } from "../snapshot/api.ts";
import type { DocumentTask } from "./document-worker.ts";
import { withKept } from "./message.ts";
import { type ParsedDocument, type ParseResult, parseDocument } from "./parse.ts";

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

  async read(name: string, document: Uint8Array): Promise<DocumentSession> {
    const format = formatOf(name);
    const result =
      document.length <= INLINE_BYTES_MAX
        ? parseDocument(format, document)
        : await this.#inTurn({ format: name, document });
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
  return new AppError("SHUTTING_DOWN", "Reading the document was interrupted. Retry.");
}

async function sessionOf(format: Format, parsed: ParsedDocument): Promise<DocumentSession> {
  const { kept, metadata, options, outside, summaries, summaryText, userId } = parsed;
  const violations = new Violations();
  checkText(violations, "summary", summaryText, LIMITS.summaryBytes);
  checkText(violations, "user_id", userId ?? "", LIMITS.userIdBytes);
  checkMetadata(violations, format, withKept(metadata ?? NOTHING, format, kept));
  for (const { messageId, text } of summaries) {
    checkText(violations, "entries.content", text, LIMITS.summaryBytes);
    checkId(violations, "entries.memory_id", messageId, LIMITS.messageIdBytes);
  }
  refuse(violations);
  const policy = policyOf(format, options);
  return {
    ...(userId === undefined ? {} : { userId }),
    metadata: (before) => {
      const whole = withKept(metadata ?? before, format, kept);
      const faults = new Violations();
      checkMetadata(faults, format, whole);
      refuse(faults);
      return whole;
    },
    ...(parsed.hasPolicy ? { policy } : {}),
    defaultPolicy: policy,
    summaryText,
    messages: await draftsOf(format, parsed.messages),
    outside,
    summaries,
  };
}

function checkMetadata(v: Violations, format: Format, metadata: Uint8Array): void {
  checkStruct(v, format.metadataField, metadata, LIMITS.metadataBytes);
}

function policyOf(format: Format, options: ParsedDocument["options"]): Policy {
  const expanded = expandPreset(format.name, options);
  if ("policy" in expanded) return expanded.policy;
  throw snapshotInvalid(expanded.faults);
}

async function draftsOf(
  format: Format,
  messages: readonly Uint8Array[],
): Promise<readonly MessageDraft[]> {
  const drafts: MessageDraft[] = [];
  for (const [index, bytes] of messages.entries()) {
    if (index > 0 && index % PIECE === 0) await new Promise((resolve) => setImmediate(resolve));
    const message = Message.decode(bytes);
    const violations = new Violations();
    violations.enterItem(format.list, index);
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
