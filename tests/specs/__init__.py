"""The spec table: one row per operation, from which tests/core/ops makes its tests (spec T-95)."""
