"""What the stored bytes of a chunk or shard say about themselves; nothing is decoded."""
