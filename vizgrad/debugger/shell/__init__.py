"""`python -m vizgrad train.py`: a script is run in a watch, and stopped where something is wrong."""
