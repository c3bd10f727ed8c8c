// The listening sockets. grpc-js would open its own; ours cap the number of connections, keep other
// users of the machine away from Unix sockets, and close on their own before the calls end.

import { chmodSync, lstatSync, mkdirSync, rmSync } from "node:fs";
import { connect, createServer, type Server as NetServer, type Socket } from "node:net";
import { dirname } from "node:path";
import { formatAddress, type ListenAddress, StartError } from "./address.ts";
import type { Connections } from "./connections.ts";

const DIRECTORY_MODE = 0o700;
const SOCKET_MODE = 0o600;
const SOCKET_UMASK = 0o177;
const BACKLOG = 511;

/** Dependencies of the listeners. */
export interface ListenerOptions {
  readonly connections: Connections;
  /** Takes a connection over. */
  readonly accept: (socket: Socket, address: ListenAddress) => void;
}

/** Open sockets. */
export interface Listeners {
  /** The addresses, with the ports that the system chose. */
  readonly addresses: readonly ListenAddress[];
  /** Stops taking connections; those that are open stay. */
  readonly close: () => void;
  /** Settles once no connection is open. */
  readonly drained: () => Promise<void>;
}

function isAlive(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

/** Removes what a killed server left behind. Throws when the path is something else, or in use. */
async function clearSocketPath(path: string): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: DIRECTORY_MODE });
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket: move it away.`);
  if (await isAlive(path)) {
    throw new Error(`Another server answers on ${path}: stop it, or listen on another path.`);
  }
  rmSync(path);
}

function listen(server: NetServer, address: ListenAddress): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.once("listening", () => {
      server.off("error", reject);
      if (address.kind === "unix") {
        chmodSync(address.path, SOCKET_MODE);
        resolve(address);
        return;
      }
      const bound = server.address();
      const port = typeof bound === "object" && bound !== null ? bound.port : address.port;
      resolve({ ...address, port });
    });
    if (address.kind === "tcp") {
      server.listen({ host: address.host, port: address.port, backlog: BACKLOG });
      return;
    }
    // The socket file is made inside listen: it is never open to others, not even for a moment.
    const before = process.umask(SOCKET_UMASK);
    try {
      server.listen({ path: address.path, backlog: BACKLOG });
    } finally {
      process.umask(before);
    }
  });
}

/** Opens sockets on every address, all or none. Throws a StartError that names the address. */
export async function openListeners(
  addresses: readonly ListenAddress[],
  options: ListenerOptions,
): Promise<Listeners> {
  const servers: NetServer[] = [];
  const bound: ListenAddress[] = [];
  const close = (): void => {
    for (const server of servers) server.close();
    for (const address of bound) if (address.kind === "unix") rmSync(address.path, { force: true });
  };
  let open = 0;
  let whenDrained: (() => void) | undefined;
  const drained = (): Promise<void> =>
    new Promise((resolve) => {
      whenDrained = resolve;
      if (open === 0) resolve();
    });
  const accept = (socket: Socket, address: ListenAddress): void => {
    if (!options.connections.admit(socket)) {
      socket.destroy();
      return;
    }
    open += 1;
    socket.once("close", () => {
      open -= 1;
      if (open === 0) whenDrained?.();
    });
    socket.on("error", () => socket.destroy());
    options.accept(socket, address);
  };
  for (const address of addresses) {
    try {
      if (address.kind === "unix") await clearSocketPath(address.path);
      const server = createServer((socket) => accept(socket, address));
      const actual = await listen(server, address);
      servers.push(server);
      bound.push(actual);
    } catch (error) {
      close();
      const text = `Cannot listen on ${formatAddress(address)}: ${(error as Error).message}`;
      throw new StartError(text, { cause: error });
    }
  }
  return { addresses: bound, close, drained };
}
