"""Items and tiles worked on by this process, by processes, by any executor with `.submit`, or by Dask.

Belongs here: how work is placed, repeated when it is lost, and put back in order.
Not here: what is worked on. Nothing in this room knows a recording, a vector or a score.
"""
