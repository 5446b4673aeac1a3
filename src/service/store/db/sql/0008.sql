-- A walk along an order that leaves out what is outside of a range reads the index alone. Reads go on while these are made.
CREATE INDEX product_next_inventory_up ON product (store, inventory, id) INCLUDE (created);
CREATE INDEX product_next_inventory_down ON product (store, inventory DESC, id) INCLUDE (created);
CREATE INDEX product_next_provider_created_up ON product (store, provider_created, id) INCLUDE (inventory, created);
CREATE INDEX product_next_provider_created_down ON product (store, provider_created DESC, id) INCLUDE (inventory, created);
CREATE INDEX product_next_provider_updated_up ON product (store, provider_updated, id) INCLUDE (inventory, created);
CREATE INDEX product_next_provider_updated_down ON product (store, provider_updated DESC, id) INCLUDE (inventory, created);
DROP INDEX product_inventory_up, product_inventory_down, product_provider_created_up, product_provider_created_down,
    product_provider_updated_up, product_provider_updated_down;
ALTER INDEX product_next_inventory_up RENAME TO product_inventory_up;
ALTER INDEX product_next_inventory_down RENAME TO product_inventory_down;
ALTER INDEX product_next_provider_created_up RENAME TO product_provider_created_up;
ALTER INDEX product_next_provider_created_down RENAME TO product_provider_created_down;
ALTER INDEX product_next_provider_updated_up RENAME TO product_provider_updated_up;
ALTER INDEX product_next_provider_updated_down RENAME TO product_provider_updated_down;
