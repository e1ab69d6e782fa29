"""Why a tensor or its gradient is as it is: from what was noted to sentences."""
