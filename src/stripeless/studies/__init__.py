"""What one command runs, one file each, the same from Python.

Belongs here: putting rooms together into one result, without printing, asking or writing.
Not here: computing that a second study would need (its own room), options and files of a command (`cli`).
"""
