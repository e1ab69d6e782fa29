"""The verified conventions at special points (T-70 to T-88), one by one as the rules list them."""
