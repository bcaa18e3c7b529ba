"""What takes long and asks nobody meanwhile, done so that Stop ends it: see both modules."""
