"""Functions with PyTorch's names, signatures and errors; they check arguments and call the primitives."""
