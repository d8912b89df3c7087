"""Speaker encoders: a recording in, one vector out. Each in its own file; `catalog` lists them."""
