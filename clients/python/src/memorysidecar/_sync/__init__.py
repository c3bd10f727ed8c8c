# Made from _async/__init__.py by make_sync.py; do not edit.
"""The client."""
