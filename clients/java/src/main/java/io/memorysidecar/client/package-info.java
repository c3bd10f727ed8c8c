/**
 * The client of Memory Sidecar, a small server that runs beside an agent and keeps its memory.
 *
 * <p>{@link MemorySidecar} is a connection. It gives the generated stubs of every service: a call
 * through them carries the token, the default namespace and a request id, is repeated while the
 * server does nothing, and fails with a {@link MemorySidecarException}.
 */
package io.memorysidecar.client;
