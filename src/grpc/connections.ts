// Places of connections. A connection belongs to nobody until a call on it has brought a token that
// the server knows; until then it gives way to any newcomer. So sockets of strangers keep nobody
// out, whether they are silent, answer pings, or send half a request.

import type { Socket } from "node:net";
import type { Logger } from "pino";

/** Bytes of the preface of HTTP/2 and of the header of the first frame. */
const PREFACE_BYTES = 33;
/** Places beyond the limit, which only calls of health may use. */
const RESERVED = 4;
/** Part of the places that one address of another machine may hold. */
const PEER_SHARE = 0.75;

/** Limits of connections. */
export interface ConnectionLimits {
  /** Over all addresses. */
  readonly connectionsMax: number;
  /** Time until a connection speaks HTTP/2. */
  readonly prefaceTimeoutMs: number;
  /** Time until the first call with a token. */
  readonly firstCallTimeoutMs: number;
}

interface Connection {
  readonly socket: Socket;
  /** The address of another machine; empty for this one. */
  readonly peer: string;
  /** Whether a call with a token has ever begun on it. */
  isKnown: boolean;
  calls: number;
  /** Open calls of health. */
  probes: number;
}

const CONNECTION = Symbol("connection");

/** A raw socket, a TLS socket around it, or the socket of an HTTP/2 session. */
export interface Carrier {
  readonly [CONNECTION]?: Connection;
  readonly _parent?: Carrier;
}

/** The socket of a session passes unknown properties on to the socket below it. */
function connectionOf(carrier: Carrier | undefined): Connection | undefined {
  return carrier?.[CONNECTION] ?? carrier?._parent?.[CONNECTION];
}

/** This machine is one peer, which has no share: agents beside the server come from 127.0.0.1. */
function peerOf({ remoteAddress = "" }: Socket): string {
  return /^(::ffff:)?127\.|^::1$/.test(remoteAddress) ? "" : remoteAddress;
}

/** The connections of one peer that hold places. */
interface Peer {
  count: number;
  /** Those without a call so far, the oldest first. */
  readonly unknown: Set<Connection>;
}

/** Every open connection, and which one gives way to another. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #log: Logger;
  readonly #places = new Set<Connection>();
  readonly #reserved = new Set<Connection>();
  readonly #peers = new Map<string, Peer>();
  /** Those in places whose calls have all ended, in this order. */
  readonly #idle = new Set<Connection>();

  constructor(limits: ConnectionLimits, log: Logger) {
    this.#limits = limits;
    this.#log = log;
  }

  /** Finds a place for a connection and follows it until it closes; false when there is none. */
  admit(socket: Socket): boolean {
    const { connectionsMax } = this.#limits;
    const peer = peerOf(socket);
    const connection = { socket, peer, isKnown: false, calls: 0, probes: 0 };
    const share = Math.ceil(connectionsMax * PEER_SHARE);
    const { count = 0 } = this.#peers.get(peer) ?? {};
    if (peer !== "" && count >= share && !this.#giveWayOf(peer)) {
      this.#log.warn({ peer, limit: share }, "connection refused: too many of its address");
      return false;
    }
    if (this.#hasPlace()) this.#take(connection);
    else if (this.#hasReserve()) this.#reserved.add(connection);
    else {
      this.#log.warn({ limit: connectionsMax }, "connection refused: too many");
      return false;
    }
    Object.assign(socket, { [CONNECTION]: connection });
    this.#follow(connection);
    return true;
  }

  /** Counts a call with a token that is known; gives the function that ends it. */
  begin(carrier: Carrier | undefined): () => void {
    const connection = connectionOf(carrier);
    if (connection === undefined) return () => {};
    if (this.#reserved.has(connection)) {
      if (!this.#hasPlace()) {
        // The request was not read yet: its client may send it again.
        this.#log.warn({ limit: this.#limits.connectionsMax }, "connection refused: too many");
        this.#drop(connection);
        return () => {};
      }
      this.#reserved.delete(connection);
      this.#take(connection);
    }
    connection.isKnown = true;
    connection.calls += 1;
    this.#peers.get(connection.peer)?.unknown.delete(connection);
    this.#idle.delete(connection);
    return () => {
      connection.calls -= 1;
      if (connection.calls === 0 && this.#places.has(connection)) this.#idle.add(connection);
    };
  }

  /** Counts a call of health, which needs no token; gives the function that ends it. */
  beginProbe(carrier: Carrier | undefined): () => void {
    const connection = connectionOf(carrier);
    if (connection === undefined) return () => {};
    connection.probes += 1;
    return () => {
      connection.probes -= 1;
    };
  }

  #follow(connection: Connection): void {
    const { socket } = connection;
    const { prefaceTimeoutMs, firstCallTimeoutMs } = this.#limits;
    const preface = setTimeout(() => {
      if (socket.bytesRead < PREFACE_BYTES) this.#drop(connection);
    }, prefaceTimeoutMs).unref();
    const firstCall = setTimeout(() => {
      if (connection.probes > 0) firstCall.refresh();
      else if (!connection.isKnown) this.#drop(connection);
    }, firstCallTimeoutMs).unref();
    socket.once("close", () => {
      clearTimeout(preface);
      clearTimeout(firstCall);
      this.#forget(connection);
    });
  }

  #hasPlace(): boolean {
    return this.#places.size < this.#limits.connectionsMax || this.#giveWay();
  }

  #hasReserve(): boolean {
    if (this.#reserved.size < RESERVED) return true;
    return this.#dropOne([...this.#reserved].find(({ probes }) => probes === 0));
  }

  #take(connection: Connection): void {
    const peer = this.#peers.get(connection.peer) ?? { count: 0, unknown: new Set() };
    this.#peers.set(connection.peer, peer);
    this.#places.add(connection);
    peer.count += 1;
    peer.unknown.add(connection);
  }

  /** Closes a connection without a call: of the peer with most unknown ones, or an idle one. */
  #giveWay(): boolean {
    let [most] = this.#peers.values();
    for (const peer of this.#peers.values()) {
      if (most === undefined || peer.unknown.size > most.unknown.size) most = peer;
    }
    const [unknown] = most?.unknown ?? [];
    const [idle] = this.#idle;
    return this.#dropOne(unknown ?? idle);
  }

  #giveWayOf(peer: string): boolean {
    const [unknown] = this.#peers.get(peer)?.unknown ?? [];
    return this.#dropOne(unknown ?? [...this.#idle].find((one) => one.peer === peer));
  }

  #dropOne(connection: Connection | undefined): boolean {
    if (connection !== undefined) this.#drop(connection);
    return connection !== undefined;
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.socket.destroy();
  }

  #forget(connection: Connection): void {
    this.#reserved.delete(connection);
    this.#idle.delete(connection);
    if (!this.#places.delete(connection)) return;
    const peer = this.#peers.get(connection.peer);
    if (peer === undefined) return;
    peer.count -= 1;
    peer.unknown.delete(connection);
    if (peer.count === 0) this.#peers.delete(connection.peer);
  }
}
