"""What one command runs, one file each, the same from Python."""
