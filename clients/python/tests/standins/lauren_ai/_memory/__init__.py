"""Memories of lauren-ai."""
