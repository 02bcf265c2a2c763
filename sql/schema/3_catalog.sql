-- The catalog: what tpq knows, as rows. Rows shipped with tpq have the source tpq and are made
-- again whenever the program's differ; rows of others stay, and come first where names collide.

-- The category of an op.
CREATE TABLE op_category (
  op TEXT PRIMARY KEY, -- name of the op, or what it begins with
  category TEXT NOT NULL, -- its category
  is_prefix INTEGER NOT NULL DEFAULT 0, -- 1 when every name that begins so is meant; whole names win
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- What the name of accelerator work or of its launcher tells.
CREATE TABLE kernel_category (
  purpose TEXT NOT NULL, -- timeline (kind of work), op (category of an op by its first kernel) or launcher (category of work without an op by the runtime call)
  priority INTEGER NOT NULL, -- the first pattern that matches decides, the lowest number first
  kind TEXT, -- only for this kind of event; NULL = all
  pattern TEXT NOT NULL, -- regular expression that the name matches somewhere
  category TEXT NOT NULL, -- what it is then
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (purpose, priority)
) STRICT, WITHOUT ROWID;

-- What an accelerator can do at most.
CREATE TABLE device_peak (
  architecture TEXT NOT NULL, -- name of the architecture
  peak TEXT NOT NULL, -- of what: dram, cores, or a math fidelity for the operations of one core
  value REAL NOT NULL, -- how much
  unit TEXT NOT NULL, -- unit of the value
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (architecture, peak)
) STRICT, WITHOUT ROWID;

-- The category of an op of tt-metal.
CREATE TABLE tt_category (
  op TEXT PRIMARY KEY, -- name of the op, with or without DeviceOperation at its end
  category TEXT NOT NULL, -- Compute, DM (moves data), TM (changes tensors), Host, or a name of your own
  is_newer INTEGER NOT NULL DEFAULT 0, -- 1 when --compat does not know it
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- Where --compat gives other figures than tpq does otherwise.
CREATE TABLE deviation (
  name TEXT PRIMARY KEY, -- report and subject
  standard TEXT NOT NULL, -- what tpq does
  compat TEXT NOT NULL, -- what --compat does, as the reference tools do
  reason TEXT NOT NULL, -- why they differ
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT, WITHOUT ROWID;

-- A report: a view that `tpq report` can print and export.
CREATE TABLE report (
  name TEXT PRIMARY KEY, -- name of the view
  set_name TEXT NOT NULL, -- set that it belongs to
  sheet TEXT NOT NULL, -- name of its sheet
  alias TEXT, -- older names of it, separated by spaces
  position INTEGER NOT NULL, -- place in the set
  unit TEXT NOT NULL, -- what a report is about: trace or run
  shown TEXT, -- option that brings it into the default set; "not OPTION" = that takes it out; never = only by name
  meaning TEXT NOT NULL, -- what it shows
  source TEXT NOT NULL DEFAULT 'user' -- who made it
) STRICT, WITHOUT ROWID;

-- A column of a report.
CREATE TABLE report_column (
  report TEXT NOT NULL REFERENCES report (name), -- the report
  position INTEGER NOT NULL, -- place from the left, from 1
  name TEXT NOT NULL, -- name in SQL
  heading TEXT NOT NULL, -- heading in exports
  unit TEXT, -- its unit
  polarity TEXT, -- lower or higher, where one of them is better
  meaning TEXT NOT NULL, -- what it says
  source TEXT NOT NULL DEFAULT 'user', -- who made it
  PRIMARY KEY (report, position)
) STRICT, WITHOUT ROWID;
