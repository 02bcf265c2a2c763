-- Inference: rules for steps of an engine, and for prefill and decode.

-- Step marks of serving engines.
CREATE TABLE step_pattern (
  kind TEXT NOT NULL, -- engine and form of the marks
  priority INTEGER NOT NULL, -- priority; the matching pattern with the lowest number decides
  tier INTEGER NOT NULL, -- tier of the pattern; where a trace has marks of a lower tier, marks of a higher tier are no steps
  pattern TEXT NOT NULL, -- regular expression with named groups: context_requests, generation_requests, c_sq, g_sq, ...; see inference_step
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (priority)
) STRICT, WITHOUT ROWID;

-- Signals of a method that separates prefill and decode.
CREATE TABLE phase_signal (
  method TEXT NOT NULL, -- name of the method
  place INTEGER NOT NULL, -- position of the signal; signals without a weight are asked in this order until one is not Mixed
  signal TEXT NOT NULL, -- name of the signal: rows of phase_rule, or annotation for the step
  weight INTEGER, -- votes for the answer of the signal; NULL = the answer holds unless votes have decided
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat')), -- profile of the row: both; fixed: only without --compat; compat: only with --compat
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (method, place)
) STRICT, WITHOUT ROWID;

-- Rules of a signal for prefill and decode. The fitting rules of the first stage give the phase, or
-- Mixed where they disagree.
CREATE TABLE phase_rule (
  signal TEXT NOT NULL, -- name of the signal
  stage INTEGER NOT NULL, -- stage of the rule, the lowest first
  phase TEXT NOT NULL CHECK (phase IN ('Prefill', 'Decode', 'Mixed')), -- phase that the rule gives
  subject TEXT NOT NULL CHECK (subject IN ('name', 'text', 'size', 'count')), -- subject of the rule: name (of the op), text (lower case, with the names of the kernels), size (rows of the matrix) or count (calls with the name)
  test TEXT NOT NULL CHECK (test IN ('word', 'regex', 'mean is 1', 'mean above', 'above', 'within', 'any')), -- kind of test: word is in it, regex matches it; mean of the numbers that a regex finds; above or within the threshold, or for counts the quantile in pattern; any count
  pattern TEXT NOT NULL, -- pattern of the test: word in lower case, regular expression, or quantile
  profile TEXT NOT NULL DEFAULT 'both' CHECK (profile IN ('both', 'fixed', 'compat', 'strict', 'lenient')), -- profile of the row: both; fixed: only without --compat; compat: only with --compat; strict: only with --phase-strict; lenient: only without --phase-strict
  source TEXT NOT NULL DEFAULT 'user', -- source of the row: tpq, a file, or user
  PRIMARY KEY (signal, stage, phase, subject, test, pattern, profile)
) STRICT, WITHOUT ROWID;
