"""Over what the messages go, and in which version."""

PROTOCOL_VERSION = 3
COMM_TARGET = "vizgrad"
