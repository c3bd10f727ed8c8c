// Package memorysidecar is the client of Memory Sidecar, a small server that runs beside an agent
// and keeps its memory.
//
// [Connect] gives a [Client]. Its fields are the generated stubs of every service. A call through
// them carries the token, the default namespace and a request id, is repeated while the server does
// nothing, and fails with an [Error]. The methods of Client add what a stub cannot do by itself:
// iterators over pages, and a watch that resumes.
package memorysidecar
