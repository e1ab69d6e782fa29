"""The memory of the whole process: what lives, and who holds it."""
