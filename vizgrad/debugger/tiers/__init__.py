"""A watch that costs little: losses and gradients alone, and all else when one of these is wrong."""
