"""Where tensors come from: what a block of a person's code computed, wrote and cut, while "
"somebody wants to know.
"""
