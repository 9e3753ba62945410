"""The one HTTP door: whatever the site asks of an address that a person or a model has named goes through here."""
