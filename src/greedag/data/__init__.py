"""What a table is: columns, names, kinds, missing values, weights, rows."""
