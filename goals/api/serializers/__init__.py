"""What goes in (inputs.py) and what comes out (the others); `status` can be written in neither."""
