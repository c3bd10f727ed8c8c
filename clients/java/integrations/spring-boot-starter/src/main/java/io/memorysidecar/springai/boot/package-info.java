/** Memory Sidecar as beans of a Spring Boot application with Spring AI. */
package io.memorysidecar.springai.boot;
