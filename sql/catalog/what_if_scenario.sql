-- The predictions that are listed when none are asked for.
INSERT OR IGNORE INTO what_if_scenario (position, scenario, changes, kernel, source) VALUES
  (1, 'identity', 'identity', NULL, 'tpq'),
  (2, 'computation x0.5', 'class=computation x0.5', NULL, 'tpq'),
  (3, 'computation x0', 'class=computation x0', NULL, 'tpq'),
  (4, 'communication x0', 'class=communication x0', NULL, 'tpq'),
  (5, 'copies x0', 'class=memory x0', NULL, 'tpq'),
  (6, 'all work x0', 'all x0', NULL, 'tpq'),
  (7, 'host x0', 'host x0', NULL, 'tpq'),
  (8, 'launch x0', 'launch x0', NULL, 'tpq');
