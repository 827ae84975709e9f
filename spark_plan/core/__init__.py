"""The calculator: pure functions in base units, the same for a number and for an array.

Nothing here knows of profiles, files, options or terminals, and nothing here holds a fitted number:
fractions and overheads come in as arguments, each a Figure with its source in a profile.
"""
