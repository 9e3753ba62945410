"""The rehearsal model: a small OpenAI-compatible server that follows rules. A stand-in, and it says so.

It imports neither Django nor pydantic nor the openai client, so that its process stays small.
"""
