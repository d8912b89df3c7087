"""Items and tiles worked on by this process, by processes, by any executor with `.submit`, or by Dask.

What is worked on does not belong here: only how work is placed, repeated when it is lost, and put back in order.
"""
