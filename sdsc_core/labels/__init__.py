"""Labels of points: how they come in, and how two clusterings are set against each other."""
