"""The client of Memory Sidecar."""

from ._sync.client import Client as Client
