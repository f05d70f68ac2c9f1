"""Files: tables that are read, and documents that are written whole or not at all."""
