"""Programs for milestones that `make parity` does not run yet (see ENABLED in registry.py)."""
