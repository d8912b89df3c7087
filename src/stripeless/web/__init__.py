"""A door: the local page. Visitors bring files, workers compute, reports come back.

Belongs here: routes, sessions, uploads, limits, templates.
Not here: anything that the command line needs as well.
"""
