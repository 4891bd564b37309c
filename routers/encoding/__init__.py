"""Sentence encoders: texts to vectors whose inner product says how much alike they are."""
