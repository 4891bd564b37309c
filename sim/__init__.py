"""The simulated world and its clock, the vectorised engine, experiments and sweeps."""
