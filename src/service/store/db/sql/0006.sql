-- What is too long for an index is known by its first 512 characters and a hash. A term of a product is compared as it is all the
-- same: its key is only what it is found by.
ALTER TABLE posting ADD COLUMN key text COLLATE "C" GENERATED ALWAYS AS
    (CASE WHEN length(term) > 512 THEN left(term, 512) || md5(term) ELSE term END) STORED;
ALTER TABLE posting DROP CONSTRAINT posting_pkey, ADD PRIMARY KEY (store, field, chunk, key);
ALTER TABLE product DROP CONSTRAINT product_store_external_key;
CREATE UNIQUE INDEX product_external ON product
    (store, left(external, 512), (CASE WHEN length(external) > 512 THEN md5(external) ELSE '' END));
-- A workspace has few folders.
CREATE INDEX folder_workspace ON folder (workspace);
DROP INDEX folder_name;
