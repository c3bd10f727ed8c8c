/**
 * Memory Sidecar for Spring AI: a repository for chat memories, a chat memory whose window the server
 * keeps, and a vector store. Each takes a client that it never closes.
 */
package io.memorysidecar.springai;
