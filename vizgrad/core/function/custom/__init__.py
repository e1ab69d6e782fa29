"""The user-facing Function family (spec 01): contexts, apply, outputs, saving, backward, legacy."""
