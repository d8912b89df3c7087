"""One measure of scores or similarities a file, and the catalog that lists them.

Belongs here: a function of scores or similarities that returns a float or one frozen type. What decides whether a
difference is luck is in `uncertainty`, what is left to use after anonymization in `utility`.
Not here: many measures at once (`assessment`), true ranks (`ranks`), attributes (`attributes`).
"""
