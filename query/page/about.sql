-- setup_of_one_run: Software, parallelism and dtypes of one run, as a line.
SELECT group_concat(words, ' · ')
FROM (
  SELECT run, iif(name IN ('framework', 'dtype', 'parallelism', 'CUDA or HIP runtime'), '', name || ' ') || value AS words
  FROM run_setup
  WHERE value IS NOT NULL AND
    name IN ('framework', 'CUDA or HIP runtime', 'world size', 'parallelism', 'dtype', 'batch', 'sequence', 'engine batch'))
HAVING count(DISTINCT run) = 1;
