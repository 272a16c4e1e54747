"""Records that the packages exchange, as frozen dataclasses, by subject."""
