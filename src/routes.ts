// Binds every method of every service to the rpc of the same name. A method without one does not
// compile.

import {
  type FileDescriptorSet,
  MethodOptions_IdempotencyLevel as IdempotencyLevel,
} from "@bufbuild/protobuf/wkt";
import type { ServiceDefinition, UntypedServiceImplementation } from "@grpc/grpc-js";
import * as adminRpcs from "./admin/rpc.ts";
import * as contextRpcs from "./context/rpc.ts";
import {
  createStreamHandler,
  createUnaryHandler,
  type Edge,
  type MethodShape,
} from "./edge/handler.ts";
import type { StreamRpc, UnaryRpc } from "./edge/rpc.ts";
import * as serverInfoRpcs from "./edge/server-info-rpc.ts";
import * as erasureRpcs from "./erase/rpc.ts";
import * as eventRpcs from "./events/rpc.ts";
import { DESTRUCTIVE_REQUESTS, REQUEST_CHECKS } from "./gen/checks.ts";
import { AdminServiceService } from "./gen/memorysidecar/v1/admin_service.ts";
import { EventServiceService } from "./gen/memorysidecar/v1/event_service.ts";
import { MemoryServiceService } from "./gen/memorysidecar/v1/memory_service.ts";
import { RecallServiceService } from "./gen/memorysidecar/v1/recall_service.ts";
import { RecordServiceService } from "./gen/memorysidecar/v1/record_service.ts";
import { SessionServiceService } from "./gen/memorysidecar/v1/session_service.ts";
import { TaskServiceService } from "./gen/memorysidecar/v1/task_service.ts";
import {
  createMethodDefinition,
  createWireSchemas,
  type GeneratedMethod,
  type RequestOf,
  readIncoming,
  type WireSchema,
} from "./grpc/wire.ts";
import * as memoryRpcs from "./memory/rpc.ts";
import * as documentRpcs from "./recall/documents/rpc.ts";
import * as recallRpcs from "./recall/rpc.ts";
import * as recordRpcs from "./records/rpc.ts";
import * as historyRpcs from "./session/history-rpc.ts";
import * as messageRpcs from "./session/message-rpc.ts";
import * as sessionRpcs from "./session/rpc.ts";
import * as snapshotRpcs from "./session/snapshot/rpc.ts";
import * as summaryRpcs from "./summary/rpc.ts";
import * as taskRpcs from "./tasks/rpc.ts";
import * as windowRpcs from "./window/rpc.ts";

type GeneratedService = Readonly<Record<string, GeneratedMethod<unknown>>>;

/** One rpc for each method: with one answer or with a stream, as the method says. */
type Rpcs<S extends GeneratedService> = {
  readonly [M in keyof S]: S[M]["responseStream"] extends true
    ? StreamRpc<RequestOf<S[M]>>
    : UnaryRpc<RequestOf<S[M]>>;
};

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
  "memorysidecar.v1.RecordService",
] as const;

/** Facts of a method from the descriptors. */
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
            destroys: DESTRUCTIVE_REQUESTS.get(method.inputType),
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
  const sessions = {
    ...{ ...sessionRpcs, ...messageRpcs, ...historyRpcs, ...snapshotRpcs, ...windowRpcs },
    ...summaryRpcs,
  };
  const admin = { ...adminRpcs, ...serverInfoRpcs, ...erasureRpcs, listHooks: taskRpcs.listHooks };
  return [
    bind(SERVICE_NAMES[0], SessionServiceService, sessions, parts),
    bind(SERVICE_NAMES[1], EventServiceService, eventRpcs, parts),
    bind(SERVICE_NAMES[2], AdminServiceService, admin, parts),
    bind(SERVICE_NAMES[3], TaskServiceService, taskRpcs, parts),
    bind(SERVICE_NAMES[4], RecallServiceService, { ...recallRpcs, ...contextRpcs }, parts),
    bind(SERVICE_NAMES[5], MemoryServiceService, { ...memoryRpcs, ...documentRpcs }, parts),
    bind(SERVICE_NAMES[6], RecordServiceService, recordRpcs, parts),
  ];
}
