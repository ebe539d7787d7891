"""What is told of results and of event lists: explanations, comparisons, summaries."""
