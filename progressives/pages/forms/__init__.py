"""The forms of the progressives' pages: what each asks, named as its service takes it."""
