-- What guests over SSH have: small texts, and the journals of their drafts. A journal is held until `lease_until`
-- (milliseconds since 1970) by whoever drew its fence; who asks for it is in `wanted_by`.
CREATE TABLE guest_note (
    home text COLLATE "C",
    name text COLLATE "C",
    version bigint NOT NULL,
    content text COLLATE "C" NOT NULL,
    PRIMARY KEY (home, name)
);
CREATE TABLE guest_draft (
    home text COLLATE "C",
    name text COLLATE "C",
    fence text COLLATE "C" NOT NULL,
    lease_until bigint NOT NULL,
    written bigint NOT NULL,
    wanted_by text COLLATE "C",
    wanted_until bigint NOT NULL,
    noted bigint NOT NULL,
    PRIMARY KEY (home, name)
);
CREATE TABLE guest_line (
    home text COLLATE "C",
    name text COLLATE "C",
    number bigint,
    piece text COLLATE "C" NOT NULL,
    PRIMARY KEY (home, name, number)
);
-- How often the catalog was changed: a replica that has had fewer changes is behind.
ALTER TABLE store ADD COLUMN generation bigint NOT NULL DEFAULT 0;
