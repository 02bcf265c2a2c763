-- How the call that launched work is known. Of links that are there no word was kept; all of them
-- are of kinds that --compat knows.

CREATE TABLE launch_kind (
  id INTEGER PRIMARY KEY, -- the same in every warehouse
  name TEXT NOT NULL UNIQUE, -- arrow, graph, id, place, head or correlation
  meaning TEXT NOT NULL, -- what says so
  is_newer INTEGER NOT NULL, -- 1 when --compat does not know it: such work has no call then
  source TEXT NOT NULL DEFAULT 'user' -- who says so
) STRICT;

ALTER TABLE gpu_event ADD COLUMN link_id INTEGER REFERENCES launch_kind (id); -- how call_id is known; NULL when it is not, or where an older tpq found it

-- What the range of an op says of that call of it, in profiles that know ops by ranges with texts.
CREATE TABLE op_range (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  sequence INTEGER, -- sequence number of autograd, which a forward op shares with its backward op
  number INTEGER, -- number of the call
  text TEXT -- what the range of the op was called, where name, sequence, number and dimensions do not tell
) STRICT;
