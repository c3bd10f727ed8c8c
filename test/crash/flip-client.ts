// A client of requests and answers in JSON, so that a scene can be written down and its answers
// compared.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  createFileRegistry,
  type DescMethod,
  fromBinary,
  fromJson,
  type JsonObject,
  type JsonValue,
  toBinary,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials } from "@grpc/grpc-js";
import { failureOf } from "../support/contract/client.ts";

const IMAGE = join(import.meta.dirname, "../../proto/image.binpb");
const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(IMAGE)));
const METHODS: ReadonlyMap<string, DescMethod> = new Map(
  [...registry].flatMap((type) =>
    type.kind === "service" && type.typeName.startsWith("memorysidecar.v1.")
      ? type.methods.map((method) => [method.name, method])
      : [],
  ),
);

/** A call of the scene. */
export interface JsonCall {
  readonly rpc: string;
  readonly request: JsonObject;
}

/** The answer to a call, or why there is none. */
export type Answer =
  | { readonly kind: "answer"; readonly json: JsonObject }
  | { readonly kind: "failure"; readonly code: string; readonly reason: string };

/** Sends calls of JSON to a server. */
export class JsonClient {
  readonly #client: Client;

  constructor(address: string) {
    this.#client = new Client(address, credentials.createInsecure());
  }

  /** Sends one call and waits for at most `deadlineMs`. */
  async ask({ request, rpc }: JsonCall, deadlineMs: number): Promise<Answer> {
    const method = METHODS.get(rpc);
    if (method === undefined) throw new Error(`there is no rpc ${rpc}`);
    const bytes = Buffer.from(
      toBinary(method.input, fromJson(method.input, request, { registry })),
    );
    const path = `/${method.parent.typeName}/${method.name}`;
    const same = (value: Buffer): Buffer => value;
    const options = { deadline: Date.now() + deadlineMs };
    return await new Promise((resolve) => {
      this.#client.makeUnaryRequest(path, same, same, bytes, options, (error, answer) => {
        if (error !== null) {
          const { code, reason } = failureOf(error);
          resolve({ kind: "failure", code, reason });
          return;
        }
        const message = fromBinary(method.output, answer ?? Buffer.alloc(0));
        resolve({
          kind: "answer",
          json: toJson(method.output, message, { registry }) as JsonObject,
        });
      });
    });
  }

  close(): void {
    this.#client.close();
  }
}

/** The values under a name anywhere in a value, in order. */
export function valuesUnder(value: JsonValue | undefined, name: string): JsonValue[] {
  if (Array.isArray(value)) return value.flatMap((one) => valuesUnder(one, name));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    key === name ? [one] : valuesUnder(one, name),
  );
}
