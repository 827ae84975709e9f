"""One module a kind of question: a Scenario in, an Estimate out, core functions in between."""
