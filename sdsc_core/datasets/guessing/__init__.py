"""What is guessed about a table: where it begins, and what in it somebody should look at."""
