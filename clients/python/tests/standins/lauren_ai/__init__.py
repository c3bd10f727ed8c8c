"""Stands in for lauren-ai where it is not installed: the types that its drop-in classes use."""
