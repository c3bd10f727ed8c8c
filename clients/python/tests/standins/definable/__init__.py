"""Stands in for definable where it is not installed: what its drop-in classes use."""
