"""Maps that undo an anonymization of embeddings: linear, orthogonal, with pairs and without."""
