"""One measure of scores or similarities a file, and the catalog that lists them.

What decides whether a difference is luck is in `uncertainty`, what is left to use after anonymization in `utility`. True ranks
have a room of their own (`ranks`), and so have attributes (`attributes`).
"""
