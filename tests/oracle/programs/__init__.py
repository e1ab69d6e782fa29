"""The programs, one theme a file."""
