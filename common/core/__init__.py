"""What every room uses and none of them owns: errors, paths, files, registries, random numbers."""
