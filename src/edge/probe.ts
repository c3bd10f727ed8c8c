// `memory-sidecar health`: asks a server whether it serves, with the standard health service. For
// containers, whose images have no other client.

import { HealthCheckRequest, HealthCheckResponse } from "../gen/grpc/health/v1/health.ts";
import { formatAddress, type ListenAddress } from "../grpc/address.ts";
import { dial, type Trust, tlsProblem } from "./dial.ts";

const CHECK_PATH = "/grpc.health.v1.Health/Check";
const TIMEOUT_MS = 3_000;
const SERVING = 1;

/**
 * Asks at each address of a server until it serves at one, first at its sockets, which no other
 * server has. Gives undefined when it serves, else why not, a line for each address.
 */
export async function probe(
  addresses: readonly ListenAddress[],
  trust: Trust | undefined,
  nowMs: number,
): Promise<string | undefined> {
  const deadline = new Date(nowMs + TIMEOUT_MS);
  const problems: string[] = [];
  for (const address of addresses.toSorted(socketsFirst)) {
    const problem = await ask(address, trust, deadline);
    if (problem === undefined) return undefined;
    problems.push(`${formatAddress(address)}: ${problem}`);
  }
  return problems.join("\n");
}

function socketsFirst(one: ListenAddress, other: ListenAddress): number {
  return Number(other.kind === "unix") - Number(one.kind === "unix");
}

async function ask(
  address: ListenAddress,
  trust: Trust | undefined,
  deadline: Date,
): Promise<string | undefined> {
  const client = dial(address, trust);
  try {
    const answer = await new Promise<HealthCheckResponse | undefined>((resolve, reject) => {
      client.makeUnaryRequest(
        CHECK_PATH,
        (request: HealthCheckRequest) => Buffer.from(HealthCheckRequest.encode(request).finish()),
        (bytes: Buffer) => HealthCheckResponse.decode(bytes),
        ...([{ service: "" }, { deadline }] as const),
        (error, given) => (error === null ? resolve(given) : reject(error)),
      );
    });
    return answer?.status === SERVING ? undefined : "the server is not serving";
  } catch (error) {
    const { details } = error as { readonly details: string };
    return (await tlsProblem(address, trust)) ?? details;
  } finally {
    client.close();
  }
}
