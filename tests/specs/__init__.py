"""The spec table: one row per operation, from which tests/ops makes its tests (spec T-95)."""
