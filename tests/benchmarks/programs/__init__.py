"""Ordinary programs in the sizes of tutorials, one text for vizgrad and PyTorch."""
