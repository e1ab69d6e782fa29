"""Files of weights, data sets in batches."""
