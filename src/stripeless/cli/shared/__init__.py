"""What commands share: options spelled once, checks before work, messages, input files, and how a result is handed over.

Not here: anything that a person with Python would want too; that is a study.
"""
