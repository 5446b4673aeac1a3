-- Who failed or asked too often lately, by network address: `times` in a row, the last one `at` milliseconds since 1970. Of what
-- is allowed so often, `at` says when the allowance is full again.
CREATE TABLE slowing (
    kind text COLLATE "C",
    sender text COLLATE "C",
    times bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (kind, sender)
);
CREATE INDEX slowing_at ON slowing (at);
