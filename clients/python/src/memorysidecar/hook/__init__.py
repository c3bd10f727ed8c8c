"""What an operator's own hook server implements."""
