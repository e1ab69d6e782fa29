"""Which of PyTorch's names exist."""
