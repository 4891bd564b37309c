"""What texts state, read from the texts alone: names, needs, effects and intervals."""
