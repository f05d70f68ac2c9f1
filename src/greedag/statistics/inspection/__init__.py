"""What is wrong or doubtful in a table, all at once."""
