"""Stands in for selectools where it is not installed: the types that its drop-in classes use."""
