"""Storage: files written in one step, and bytes with a checksum."""
