-- Which version a program has to know at least to work on these tables: one that only knows an earlier one goes on beside a
-- newer one until that changes. Whoever adds to the tables leaves it; whoever takes something away raises it.
ALTER TABLE schema_version ADD COLUMN least bigint NOT NULL DEFAULT 0;
