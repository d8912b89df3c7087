"""Tables that other programs wrote: one reader for each kind, one answer to each question.

Belongs here: tables of two columns (`two_columns`), CSV (`delimited`), parquet (`parquet`) and npz (`npz`), and what text files
share (`text`). Encoding, empty lines, repeated names, missing cells, quotes and bounds are decided here and nowhere else.
Not here: what the columns mean (`audio`, `embeddings`, `scores`, `listening`), and text of many million rows, which
`scores.files` cuts without making an object of each line.
"""
