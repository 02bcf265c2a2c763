-- Ranges of ops.

-- What the range of an op says of that call of it, in profiles that know ops by ranges with texts.
CREATE TABLE op_range (
  id INTEGER PRIMARY KEY REFERENCES event (id), -- event that it is
  trace_id INTEGER NOT NULL REFERENCES trace (id), -- trace that it belongs to
  sequence INTEGER, -- sequence number of autograd, which a forward op shares with its backward op
  number INTEGER, -- number of the call
  text TEXT -- what the range of the op was called, where name, sequence, number and dimensions do not tell
) STRICT;
