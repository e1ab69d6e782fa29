"""The version, where any layer can read it."""

__version__ = "0.9.0"
