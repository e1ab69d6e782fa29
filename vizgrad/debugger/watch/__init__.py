"""Where tensors come from: the values that a watched block of the user's code computed, wrote and
cut."""
