"""The papers' published numbers against ours."""
