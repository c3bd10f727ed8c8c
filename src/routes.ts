// Binds every method of every service to its rpc. A method without one does not compile.

import {
  type FileDescriptorSet,
  MethodOptions_IdempotencyLevel as IdempotencyLevel,
} from "@bufbuild/protobuf/wkt";
import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import { DESTRUCTIVE_REQUESTS, REQUEST_CHECKS } from "../gen/checks.ts";
import { AdminServiceService } from "../gen/memorysidecar/v1/admin_service.ts";
import { EventServiceService } from "../gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceService } from "../gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceService } from "../gen/memorysidecar/v1/recall_service.ts";
import { SessionServiceService } from "../gen/memorysidecar/v1/session_service.ts";
import { TaskServiceService } from "../gen/memorysidecar/v1/task_service.ts";
import { createStreamHandler, createUnaryHandler, type Edge, type MethodShape } from "./handler.ts";
import { ackEvents } from "./rpc/ack-events.ts";
import { appendMessages } from "./rpc/append-messages.ts";
import { assembleContext } from "./rpc/assemble-context.ts";
import { clearCollection } from "./rpc/clear-collection.ts";
import { compactSession } from "./rpc/compact-session.ts";
import { completeTask } from "./rpc/complete-task.ts";
import { consolidateSession } from "./rpc/consolidate-session.ts";
import { countTokens } from "./rpc/count-tokens.ts";
import { createConsumer } from "./rpc/create-consumer.ts";
import { createSession } from "./rpc/create-session.ts";
import { decayMemories } from "./rpc/decay-memories.ts";
import { deleteConsumer } from "./rpc/delete-consumer.ts";
import { deleteDocuments } from "./rpc/delete-documents.ts";
import { deleteMessage } from "./rpc/delete-message.ts";
import { deleteSession } from "./rpc/delete-session.ts";
import { deleteTask } from "./rpc/delete-task.ts";
import { embed } from "./rpc/embed.ts";
import { exportSession } from "./rpc/export-session.ts";
import { extendLease } from "./rpc/extend-lease.ts";
import { extractMemories } from "./rpc/extract-memories.ts";
import { failTask } from "./rpc/fail-task.ts";
import { fillToolResults } from "./rpc/fill-tool-results.ts";
import { forgetMemories } from "./rpc/forget-memories.ts";
import { forkSession } from "./rpc/fork-session.ts";
import { getConsumer } from "./rpc/get-consumer.ts";
import { getDocument } from "./rpc/get-document.ts";
import { getMemory } from "./rpc/get-memory.ts";
import { getMessage } from "./rpc/get-message.ts";
import { getServerInfo } from "./rpc/get-server-info.ts";
import { getSession } from "./rpc/get-session.ts";
import { getTask } from "./rpc/get-task.ts";
import { getWindow } from "./rpc/get-window.ts";
import { importSession } from "./rpc/import-session.ts";
import { listCollections } from "./rpc/list-collections.ts";
import { listConsumers } from "./rpc/list-consumers.ts";
import { listDocuments } from "./rpc/list-documents.ts";
import { listEvents } from "./rpc/list-events.ts";
import { listHooks } from "./rpc/list-hooks.ts";
import { listMemories } from "./rpc/list-memories.ts";
import { listMemoryVersions } from "./rpc/list-memory-versions.ts";
import { listMessages } from "./rpc/list-messages.ts";
import { listPolicyPresets } from "./rpc/list-policy-presets.ts";
import { listSessions } from "./rpc/list-sessions.ts";
import { listSummaries } from "./rpc/list-summaries.ts";
import { listSummaryInputs } from "./rpc/list-summary-inputs.ts";
import { listSummarySources } from "./rpc/list-summary-sources.ts";
import { listTasks } from "./rpc/list-tasks.ts";
import { mergeEntities } from "./rpc/merge-entities.ts";
import { pollTasks } from "./rpc/poll-tasks.ts";
import { previewPolicy } from "./rpc/preview-policy.ts";
import { purgeMemories } from "./rpc/purge-memories.ts";
import { queryRelations } from "./rpc/query-relations.ts";
import { recall } from "./rpc/recall.ts";
import { reinforceMemories } from "./rpc/reinforce-memories.ts";
import { remember } from "./rpc/remember.ts";
import { resetSession } from "./rpc/reset-session.ts";
import { restoreMemoryVersion } from "./rpc/restore-memory-version.ts";
import { restoreMessages } from "./rpc/restore-messages.ts";
import { retryTask } from "./rpc/retry-task.ts";
import { setSummary } from "./rpc/set-summary.ts";
import { trimSession } from "./rpc/trim-session.ts";
import { updateMemory } from "./rpc/update-memory.ts";
import { updateMessage } from "./rpc/update-message.ts";
import { updateSession } from "./rpc/update-session.ts";
import { upsertDocuments } from "./rpc/upsert-documents.ts";
import { watchEvents } from "./rpc/watch-events.ts";
import type { StreamRpc, UnaryRpc } from "./rpc.ts";
import {
  createMethodDefinition,
  type GeneratedMethod,
  type RequestOf,
  readIncoming,
} from "./wire.ts";
import { createWireSchemas, type WireSchema } from "./wire-schema.ts";

type GeneratedService = Readonly<Record<string, GeneratedMethod<unknown>>>;

/** One rpc for each method: with one answer or with a stream, as the method says. */
type Rpcs<S extends GeneratedService> = {
  readonly [M in keyof S]: S[M]["responseStream"] extends true
    ? StreamRpc<RequestOf<S[M]>>
    : UnaryRpc<RequestOf<S[M]>>;
};

const SESSION_RPCS: Rpcs<typeof SessionServiceService> = {
  createSession,
  getSession,
  listSessions,
  updateSession,
  deleteSession,
  forkSession,
  resetSession,
  appendMessages,
  listMessages,
  getMessage,
  updateMessage,
  deleteMessage,
  getWindow,
  exportSession,
  importSession,
  previewPolicy,
  listPolicyPresets,
  trimSession,
  restoreMessages,
  listSummaryInputs,
  setSummary,
  fillToolResults,
  compactSession,
  listSummaries,
  listSummarySources,
  countTokens,
};

const TASK_RPCS: Rpcs<typeof TaskServiceService> = {
  pollTasks,
  completeTask,
  failTask,
  extendLease,
  listTasks,
  getTask,
  retryTask,
  deleteTask,
};

const RECALL_RPCS: Rpcs<typeof RecallServiceService> = {
  recall,
  embed,
  assembleContext,
};

const MEMORY_RPCS: Rpcs<typeof MemoryServiceService> = {
  remember,
  getMemory,
  listMemories,
  updateMemory,
  reinforceMemories,
  decayMemories,
  forgetMemories,
  purgeMemories,
  listMemoryVersions,
  restoreMemoryVersion,
  queryRelations,
  mergeEntities,
  consolidateSession,
  extractMemories,
  upsertDocuments,
  getDocument,
  listDocuments,
  listCollections,
  deleteDocuments,
  clearCollection,
};

const EVENT_RPCS: Rpcs<typeof EventServiceService> = {
  watchEvents,
  listEvents,
  createConsumer,
  getConsumer,
  listConsumers,
  deleteConsumer,
  ackEvents,
};

const ADMIN_RPCS: Rpcs<typeof AdminServiceService> = { getServerInfo, listHooks };

/** A service as grpc-js takes it. */
export interface BoundService {
  readonly name: string;
  readonly definition: ServiceDefinition;
  readonly implementation: UntypedServiceImplementation;
}

/**
 * The services that are served, by their full names. `memorysidecar.hook.v1.HookService` is not
 * among them: hooks implement it and the sidecar calls it. Reflection still shows its descriptors.
 */
export const SERVICE_NAMES = [
  "memorysidecar.v1.SessionService",
  "memorysidecar.v1.EventService",
  "memorysidecar.v1.AdminService",
  "memorysidecar.v1.TaskService",
  "memorysidecar.v1.RecallService",
  "memorysidecar.v1.MemoryService",
] as const;

/** What the descriptors say of a method. */
interface MethodFacts {
  readonly shape: Omit<MethodShape<unknown>, "read">;
  readonly schema: WireSchema;
}

/** Whether a call may not be repeated blindly. A GetWindow may trim, but only once. */
function changes(level: IdempotencyLevel = IdempotencyLevel.IDEMPOTENCY_UNKNOWN): boolean {
  return level === IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}

function methodFacts(set: FileDescriptorSet): ReadonlyMap<string, MethodFacts> {
  const schemas = createWireSchemas(set);
  const fieldNumbers = new Map(
    set.file.flatMap((file) =>
      file.messageType.map((message) => [
        `.${file.package}.${message.name}`,
        new Map(message.field.map((field) => [field.name, field.number])),
      ]),
    ),
  );
  const facts = new Map<string, MethodFacts>();
  for (const file of set.file) {
    for (const service of file.service) {
      for (const method of service.method) {
        const numbers = fieldNumbers.get(method.inputType);
        const leftOut = ["request_id", "upload_id", "page_size", "page_token"].flatMap(
          (name) => numbers?.get(name) ?? [],
        );
        facts.set(`/${file.package}.${service.name}/${method.name}`, {
          shape: {
            name: method.name,
            check: REQUEST_CHECKS.get(method.inputType),
            leftOut: new Set(leftOut),
            paged: numbers?.has("page_token") === true,
            readOnly: !changes(method.options?.idempotencyLevel),
            destructive: DESTRUCTIVE_REQUESTS.has(method.inputType),
          },
          schema: schemas.get(method.inputType) ?? { fields: [] },
        });
      }
    }
  }
  return facts;
}

function bind<S extends GeneratedService>(
  name: string,
  service: S,
  rpcs: Rpcs<S>,
  parts: { readonly edge: Edge; readonly facts: ReadonlyMap<string, MethodFacts> },
): BoundService {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const implementation: UntypedServiceImplementation = {};
  for (const [key, method] of Object.entries(service)) {
    const known = parts.facts.get(method.path);
    if (known === undefined) throw new Error(`the descriptor image lacks ${method.path}`);
    definition[key] = createMethodDefinition(method);
    const shape: MethodShape<unknown> = {
      ...known.shape,
      read: (bytes) => readIncoming(bytes, known.schema, method.requestDeserialize),
    };
    const rpc = rpcs[key as keyof S] as StreamRpc<unknown> | UnaryRpc<unknown>;
    implementation[key] =
      "stream" in rpc
        ? createStreamHandler(parts.edge, shape, rpc)
        : createUnaryHandler(parts.edge, shape, rpc);
  }
  return { name, definition, implementation };
}

/** Binds the services to their rpcs. */
export function createRoutes(edge: Edge, descriptors: FileDescriptorSet): readonly BoundService[] {
  const parts = { edge, facts: methodFacts(descriptors) };
  return [
    bind(SERVICE_NAMES[0], SessionServiceService, SESSION_RPCS, parts),
    bind(SERVICE_NAMES[1], EventServiceService, EVENT_RPCS, parts),
    bind(SERVICE_NAMES[2], AdminServiceService, ADMIN_RPCS, parts),
    bind(SERVICE_NAMES[3], TaskServiceService, TASK_RPCS, parts),
    bind(SERVICE_NAMES[4], RecallServiceService, RECALL_RPCS, parts),
    bind(SERVICE_NAMES[5], MemoryServiceService, MEMORY_RPCS, parts),
  ];
}
