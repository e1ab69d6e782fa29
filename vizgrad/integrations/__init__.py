"""Watches where trainings run: callbacks of trainers, and writers of norms and findings.

Each module is imported by its own name, and imports its library alone: `vizgrad.integrations.lightning`.
"""
