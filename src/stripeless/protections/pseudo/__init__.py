"""Pseudo-speakers: one speaker's vector in, the vector of somebody who does not exist out."""
