"""Where tensors come from: the values that watched code of the user computed, wrote and cut."""
