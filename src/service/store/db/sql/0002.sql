-- What a transaction that changes something leaves behind when it ends: whoever got no answer to its COMMIT looks for the mark.
-- Marks are kept for an hour (`at` is in seconds since 1970).
CREATE TABLE ended (
    mark text COLLATE "C",
    at bigint NOT NULL,
    PRIMARY KEY (mark)
);
CREATE INDEX ended_at ON ended (at);
