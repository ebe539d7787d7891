"""Sound for the website: examples for method pages, samples for result pages.

Everything that is heard is made here, by the run; the website only refers to the files.
"""
