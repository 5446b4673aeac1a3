-- By what it is known whether the bitmaps of a store's chunks are still the same: see `store/chunk_tokens.rs`.
ALTER TABLE store ADD COLUMN chunk_tokens bytea NOT NULL DEFAULT '';
