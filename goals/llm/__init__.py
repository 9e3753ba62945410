"""The model port: prompts rendered, replies typed, prices known, one client a process. No database here."""
