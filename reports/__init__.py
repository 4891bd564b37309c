"""Charts, tables, pages and the command line."""
