-- Extension files add to the catalog here. These tables are there for a connection with extension files
-- only, and go with it.

-- An op that the trace does not have, put around events: the views that are about calls of ops show
-- it like any other. It starts out with what the donor was called with.
CREATE TABLE pseudo_op (
  name TEXT NOT NULL, -- name of the op
  place TEXT NOT NULL CHECK (place IN ('inject', 'wrap', 'above')), -- inject: around a launch; wrap: around all that is below the event; above: around the event
  event INTEGER NOT NULL, -- id of the event; for inject a runtime call, or a GPU activity that one launched
  donor INTEGER, -- id of the event whose arguments the pseudo op takes over; NULL = arguments of its own only
  args TEXT CHECK (args IS NULL OR json_valid(args)), -- JSON object of arguments in place of the donor's: dims, types, strides and concrete are parts of the signature
  source TEXT NOT NULL DEFAULT 'user', -- name of the source of the pseudo op
  PRIMARY KEY (event, place, name)
) STRICT, WITHOUT ROWID;

-- Events that extension files change: their name, or the arguments of the call.
CREATE TABLE op_override (
  event INTEGER PRIMARY KEY, -- id of the event
  name TEXT, -- name of the event; NULL = the name in the trace
  args TEXT CHECK (args IS NULL OR json_valid(args)), -- JSON object of arguments in place of those of the trace, as in pseudo_op
  source TEXT NOT NULL DEFAULT 'user' -- name of the source of the change
) STRICT;

-- Links that extension files add; rows that they put into edge come here, and are seen there.
CREATE TABLE added_edge (
  from_id INTEGER NOT NULL, -- id of the forward op, the start of the link
  to_id INTEGER NOT NULL, -- id of the backward op, the end of the link
  kind TEXT NOT NULL CHECK (kind IN ('forward_backward', 'flow')), -- kind of the link, as in edge
  source TEXT NOT NULL DEFAULT 'user', -- name of the source of the link
  PRIMARY KEY (from_id, to_id, kind)
) STRICT, WITHOUT ROWID;

-- Notes of extension files to whoever runs them, a line each.
CREATE TABLE ext_note (
  text TEXT PRIMARY KEY, -- text of the note
  source TEXT NOT NULL DEFAULT 'user' -- name of the source of the note
) STRICT, WITHOUT ROWID;

-- A sheet that reports get beside those that ship with tpq.
CREATE TABLE ext_sheet (
  name TEXT PRIMARY KEY, -- name of the sheet
  sql TEXT NOT NULL, -- the SELECT that gives its rows
  position INTEGER NOT NULL DEFAULT 1000, -- place among the sheets
  source TEXT NOT NULL DEFAULT 'user' -- name of the source of the sheet
) STRICT, WITHOUT ROWID;

-- Pseudo ops as ranges of ids.
CREATE TABLE pseudo_event (
  id INTEGER PRIMARY KEY, -- number of the pseudo op
  place TEXT NOT NULL, -- place of the pseudo op, as in pseudo_op
  first_id INTEGER NOT NULL, -- the first event inside
  last_id INTEGER NOT NULL, -- the last event inside
  name_id INTEGER NOT NULL, -- name of the pseudo op
  op_id INTEGER NOT NULL, -- call signature of the pseudo op
  args_id INTEGER NOT NULL -- other arguments of the pseudo op
) STRICT;

-- Other arguments of pseudo ops, and of events of which extension files say something else.
CREATE TABLE said_args (
  id INTEGER PRIMARY KEY, -- number of the list, below zero
  json TEXT NOT NULL UNIQUE -- JSON object
) STRICT;
