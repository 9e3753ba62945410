"""What `manage.py doctor` looks at: each check is a function that returns a `Finding`; `examination` runs them."""
