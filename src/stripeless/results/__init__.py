"""What every study hands back: types, reading, writing, the schema.

Belongs here: frozen types with `to_dict`, stored results of this version and of earlier ones.
Not here: anything that computes a measure.
"""
