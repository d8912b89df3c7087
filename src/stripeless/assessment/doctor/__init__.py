"""The doctor: looks at a result as a suspicious colleague would. One file per family of findings."""
