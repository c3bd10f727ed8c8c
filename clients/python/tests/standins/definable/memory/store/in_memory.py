"""The store that is compared where definable is installed."""


class InMemoryStore:
    """A name to import."""
