/**
 * Memory Sidecar for LangChain4j: a store for chat memories, a chat memory whose window the server
 * keeps, and an embedding store. Each takes a client that it never closes.
 */
package io.memorysidecar.langchain4j;
