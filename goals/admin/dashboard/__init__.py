"""The console's first page: what needs a person, and how the site does. A fixed number of bounded statements."""
