// A port for a test that opens it later, or closes it for a while.

import { once } from "node:events";
import { createServer } from "node:net";

/** Ports below the ephemeral ranges of Linux, macOS and Windows. */
const FIRST = 20_000;
const COUNT = 12_000;
const ATTEMPTS = 20;
/** Ports that this process has given: one that is closed for a while is not given again. */
const given = new Set<number>();

/**
 * A free port of the loopback address that no other connection takes by accident: the kernel gives
 * ports of this range only to programs that ask for them by number.
 */
export async function reservedPort(): Promise<number> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    if (given.has(port)) continue;
    const server = createServer().listen(port, "127.0.0.1");
    const isFree = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, "close");
    given.add(port);
    return port;
  }
  throw new Error(`no free port in ${ATTEMPTS} attempts`);
}
