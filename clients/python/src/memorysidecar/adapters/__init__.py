"""Code that the integrations of frameworks share. The interface may change at any time."""
