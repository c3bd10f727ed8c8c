"""The client of Memory Sidecar."""
