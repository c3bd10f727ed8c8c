// `memory-sidecar health`: asks a server whether it serves, with the standard health service. For
// containers, whose images have no other client.

import { Client, credentials } from "@grpc/grpc-js";
import { HealthCheckRequest, HealthCheckResponse } from "../gen/grpc/health/v1/health.ts";
import { formatAddress, type ListenAddress } from "./address.ts";

const CHECK_PATH = "/grpc.health.v1.Health/Check";
const TIMEOUT_MS = 3_000;
const SERVING = 1;

/** Asks a server over plain text; gives undefined when it serves, else why not. */
export function probe(address: ListenAddress, nowMs: number): Promise<string | undefined> {
  const client = new Client(formatAddress(address), credentials.createInsecure());
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      CHECK_PATH,
      (request: HealthCheckRequest) => Buffer.from(HealthCheckRequest.encode(request).finish()),
      (bytes: Buffer) => HealthCheckResponse.decode(bytes),
      { service: "" },
      { deadline: new Date(nowMs + TIMEOUT_MS) },
      (error, answer) => {
        client.close();
        if (error !== null) resolve(error.details);
        else resolve(answer?.status === SERVING ? undefined : "the server is not serving");
      },
    );
  });
}
