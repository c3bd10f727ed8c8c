// A grpc-js server in this process whose answers a test writes itself.

import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceError,
  type sendUnaryData,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import {
  BadRequest,
  ErrorInfo,
  ResourceInfo,
  RetryInfo,
} from "../src/gen/google/rpc/error_details.ts";
import { Status as RpcStatus } from "../src/gen/google/rpc/status.ts";
import { AdminServiceService } from "../src/gen/memorysidecar/v1/admin_service.ts";
import { EventServiceService } from "../src/gen/memorysidecar/v1/event_service.ts";
import { SessionServiceService } from "../src/gen/memorysidecar/v1/session_service.ts";

/** Error that the fake server answers. */
export interface FakeError {
  readonly code: number;
  readonly reason?: string;
  readonly metadata?: Record<string, string>;
  readonly violations?: readonly { field: string; description: string }[];
  readonly resource?: { readonly type: string; readonly name: string };
  readonly retryDelayMs?: number;
  readonly details?: Buffer;
}

function any(name: string, value: Uint8Array) {
  return { typeUrl: `type.googleapis.com/google.rpc.${name}`, value: Buffer.from(value) };
}

/** Makes an error as the server sends it. */
export function fakeError(error: FakeError): ServiceError {
  const details = [];
  const { reason, metadata = {}, violations, resource, retryDelayMs } = error;
  if (reason !== undefined) {
    const info = ErrorInfo.fromPartial({ reason, domain: "memorysidecar.io", metadata });
    details.push(any("ErrorInfo", ErrorInfo.encode(info).finish()));
  }
  if (violations !== undefined) {
    const bad = BadRequest.fromPartial({ fieldViolations: [...violations] });
    details.push(any("BadRequest", BadRequest.encode(bad).finish()));
  }
  if (resource !== undefined) {
    const { type: resourceType, name: resourceName } = resource;
    const info = ResourceInfo.fromPartial({ resourceType, resourceName });
    details.push(any("ResourceInfo", ResourceInfo.encode(info).finish()));
  }
  if (retryDelayMs !== undefined) {
    const seconds = Math.trunc(retryDelayMs / 1000);
    const nanos = (retryDelayMs % 1000) * 1e6;
    const info = RetryInfo.fromPartial({ retryDelay: { seconds, nanos } });
    details.push(any("RetryInfo", RetryInfo.encode(info).finish()));
  }
  const trailer = new Metadata();
  const status = RpcStatus.fromPartial({ code: error.code, message: "no", details });
  const bytes = error.details ?? Buffer.from(RpcStatus.encode(status).finish());
  if (details.length > 0 || error.details) trailer.set("grpc-status-details-bin", bytes);
  const message = "the fake server says no";
  return Object.assign(new Error(message), { ...error, details: message, metadata: trailer });
}

/** Answers calls one after the other: a function of the request, a value, or an error. */
export function script<Request, Response>(
  ...answers: readonly (Response | ServiceError | ((request: Request) => Response))[]
) {
  const seen: { request: Request; metadata: Metadata }[] = [];
  const handle = (
    call: ServerUnaryCall<Request, Response>,
    callback: sendUnaryData<Response>,
  ): void => {
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ request: call.request, metadata: call.metadata });
    if (answer instanceof Error) callback(answer as ServiceError);
    else if (typeof answer === "function") {
      callback(null, (answer as (request: Request) => Response)(call.request));
    } else callback(null, answer as Response);
  };
  return Object.assign(handle, { seen });
}

/** Handlers by the name of the method; what is left out answers UNIMPLEMENTED. */
export interface FakeHandlers {
  readonly sessions?: UntypedServiceImplementation;
  readonly events?: UntypedServiceImplementation;
  readonly admin?: UntypedServiceImplementation;
}

/** A fake server that serves. */
export interface FakeServer {
  readonly address: string;
  readonly port: number;
  /** Ends every call at once. */
  stop(): void;
}

/** Starts a fake server on a port of 127.0.0.1, a free one unless one is given. */
export async function startFake(handlers: FakeHandlers, port = 0): Promise<FakeServer> {
  const server = new Server();
  server.addService(SessionServiceService, handlers.sessions ?? {});
  server.addService(EventServiceService, handlers.events ?? {});
  server.addService(AdminServiceService, handlers.admin ?? {});
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, value) =>
      error ? reject(error) : resolve(value),
    );
  });
  return {
    address: `127.0.0.1:${bound}`,
    port: bound,
    stop: () => server.forceShutdown(),
  };
}
