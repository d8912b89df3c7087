"""What every study hands back: types, reading, writing, the schema. Nothing here computes."""
