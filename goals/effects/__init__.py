"""What reaches outside: one module for each kind of decision; `HANDLERS` says which module carries out which."""
