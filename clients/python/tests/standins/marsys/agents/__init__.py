"""Stands in for MARSYS where it is not installed: what its drop-in classes use."""
