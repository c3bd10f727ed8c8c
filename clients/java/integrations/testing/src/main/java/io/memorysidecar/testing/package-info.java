/** A server to test against, comparisons with the classes of a framework, and the code of pages. */
package io.memorysidecar.testing;
