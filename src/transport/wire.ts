// Requests and answers as bytes. A request is decoded to a plain object and never throws here; an
// answer is always bytes already, so that stored messages and events are spliced in, not decoded.

import { configureTextEncoding, getTextEncoding } from "@bufbuild/protobuf/wire";
import type { MethodDefinition } from "@grpc/grpc-js";
import { checkWire, type WireSchema } from "./wire-schema.ts";

const fatalDecoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

// The decoder of the library turns invalid UTF-8 into replacement characters. Ours throws.
configureTextEncoding({
  ...getTextEncoding(),
  decodeUtf8: (bytes: Uint8Array) => fatalDecoder.decode(bytes),
});

/** A request as it came in. */
export interface Incoming<Request> {
  /** Undefined when the bytes are not a message of the method. */
  readonly request: Request | undefined;
  readonly bytes: Uint8Array;
  /** Says that the bytes hold map fields, whose order means nothing. */
  readonly hasMaps: boolean;
  /** The path of the first field that nobody here knows; empty when all are known. */
  readonly unknownField: string;
  readonly schema: WireSchema;
}

/** Reads a request. Never throws: undecodable bytes give an Incoming without a request. */
export function readIncoming<Request>(
  bytes: Buffer,
  schema: WireSchema,
  decode: (bytes: Buffer) => Request,
): Incoming<Request> {
  const found = checkWire(bytes, schema);
  let request: Request | undefined;
  if (found !== undefined) {
    try {
      request = decode(bytes);
    } catch {
      // Text that is not UTF-8. The edge answers REQUEST_MALFORMED.
      request = undefined;
    }
  }
  const { hasMaps = false, unknownField = "" } = found ?? {};
  return { request, bytes, hasMaps, unknownField, schema };
}

/** A method as the generated code describes it. */
export interface GeneratedMethod<Request> {
  readonly path: string;
  readonly requestStream: boolean;
  readonly responseStream: boolean;
  readonly requestDeserialize: (bytes: Buffer) => Request;
}

/** The request type of a generated method. */
export type RequestOf<M extends GeneratedMethod<unknown>> = ReturnType<M["requestDeserialize"]>;

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes)
    ? bytes
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Makes the grpc-js definition of a method: bytes in, bytes out. Requests are read by the handler,
 * so that a caller without a token costs no decoding.
 */
export function createMethodDefinition(
  method: GeneratedMethod<unknown>,
): MethodDefinition<Buffer, Uint8Array> {
  return {
    path: method.path,
    requestStream: method.requestStream,
    responseStream: method.responseStream,
    requestSerialize: (bytes) => bytes,
    requestDeserialize: (bytes) => bytes,
    responseSerialize: asBuffer,
    responseDeserialize: (bytes) => bytes,
  };
}
