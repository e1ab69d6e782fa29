"""Forward mode: how each operation carries tangents on. Loaded when the first level is entered."""
