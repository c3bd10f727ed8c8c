/**
 * The parts that integrations of agent frameworks share: lists of messages that a framework rewrites
 * as a whole, and documents that are found by vectors of the caller.
 */
package io.memorysidecar.client.adapter;
