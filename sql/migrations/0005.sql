-- Columns of reports say their types.
ALTER TABLE report_column ADD COLUMN type TEXT; -- type of its values: integer, real or text; NULL where nothing says it
