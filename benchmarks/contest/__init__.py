"""The contest: our defaults, and what people use today, on the same splits."""
