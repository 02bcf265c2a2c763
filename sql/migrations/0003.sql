-- Tables of inference.

CREATE TABLE step_pattern (
  kind TEXT NOT NULL, -- whose marks they are, and in which form
  priority INTEGER NOT NULL, -- the first pattern that matches decides, the lowest number first
  tier INTEGER NOT NULL, -- where a trace has marks of a lower tier, those of a higher one are no steps
  pattern TEXT NOT NULL, -- regular expression with named groups: context_requests, generation_requests, c_sq, g_sq, ...; see inference_step
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (priority)
) STRICT, WITHOUT ROWID;

CREATE TABLE phase_signal (
  method TEXT NOT NULL, -- name of the method
  place INTEGER NOT NULL, -- signals without a weight are asked in this order until one is not Mixed
  signal TEXT NOT NULL, -- what is asked: rows of phase_rule, or annotation: the step
  weight INTEGER, -- votes that its answer is worth; NULL = its answer holds unless votes have decided
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat')), -- fixed: only without --compat; compat: only with it
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (method, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE phase_rule (
  signal TEXT NOT NULL, -- the signal
  stage INTEGER NOT NULL, -- when it is looked at, the lowest first
  phase TEXT NOT NULL CHECK (phase IN ('Prefill', 'Decode', 'Mixed')), -- what it says
  subject TEXT NOT NULL CHECK (subject IN ('name', 'text', 'size', 'count')), -- name of the op; text: in small letters, with the names of its kernels; size: rows of the matrix; count: calls of that name
  test TEXT NOT NULL CHECK (test IN ('word', 'regex', 'mean is 1', 'mean above', 'above', 'within', 'any')), -- word is in it, regex matches it; mean of the numbers that a regex finds; above or within the threshold, or for counts the quantile in pattern; any count
  pattern TEXT NOT NULL, -- the word, in small letters; the regular expression; or the quantile
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat', 'strict', 'lenient')), -- fixed: only without --compat; compat: only with it; strict: only with --phase-strict; lenient: only without
  source TEXT NOT NULL DEFAULT 'user', -- who says so
  PRIMARY KEY (signal, stage, phase, subject, test, pattern, profile)
) STRICT, WITHOUT ROWID;
