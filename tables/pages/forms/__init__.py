"""The forms of the tables' pages: what each asks, named as its service takes it."""
