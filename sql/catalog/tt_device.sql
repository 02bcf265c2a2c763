-- Tenstorrent's accelerators, whose ops choose how many cores they take: the figures are of one
-- core. A chip of wormhole has 72 cores, of which ops have 64. HiFi3 takes three passes, LoFi one.
INSERT OR IGNORE INTO device_model (device, kind, name_pattern, mem_bw_gbps, cores, origin, source) VALUES
  ('wormhole', 'core', 'wormhole*', 288, 64, 'Tenstorrent Wormhole n150 specifications', 'tpq'),
  ('blackhole', 'core', 'blackhole*', 512, 130, 'Tenstorrent Blackhole p150 specifications', 'tpq'),
  ('bh20', 'core', 'bh20*', 512, 20, 'Blackhole with 20 cores', 'tpq'),
  ('n1', 'core', 'n1*', 120, 20, '20 cores at 0.65 GHz', 'tpq');

INSERT OR IGNORE INTO device_peak (device, kind, spec, tflops, origin, source) VALUES
  ('wormhole', 'core', 'LoFi', 262 / 72.0, '262 TFLOP/s of 72 cores', 'tpq'),
  ('wormhole', 'core', 'HiFi2', 148 / 72.0, '148 TFLOP/s of 72 cores', 'tpq'),
  ('wormhole', 'core', 'HiFi3', 262 / 216.0, 'a third of LoFi', 'tpq'),
  ('wormhole', 'core', 'HiFi4', 74 / 72.0, '74 TFLOP/s of 72 cores', 'tpq'),
  ('blackhole', 'core', 'LoFi', 5.5296, '4096 operations a cycle at 1.35 GHz', 'tpq'),
  ('blackhole', 'core', 'HiFi2', 2.7648, 'half of LoFi', 'tpq'),
  ('blackhole', 'core', 'HiFi3', 1.8432, 'a third of LoFi', 'tpq'),
  ('blackhole', 'core', 'HiFi4', 1.3824, 'a quarter of LoFi', 'tpq'),
  ('bh20', 'core', 'LoFi', 5.5296, '4096 operations a cycle at 1.35 GHz', 'tpq'),
  ('bh20', 'core', 'HiFi2', 2.7648, 'half of LoFi', 'tpq'),
  ('bh20', 'core', 'HiFi3', 1.8432, 'a third of LoFi', 'tpq'),
  ('bh20', 'core', 'HiFi4', 1.3824, 'a quarter of LoFi', 'tpq'),
  ('n1', 'core', 'LoFi', 2.6624, '4096 operations a cycle at 0.65 GHz', 'tpq'),
  ('n1', 'core', 'HiFi2', 1.3312, 'half of LoFi', 'tpq'),
  ('n1', 'core', 'HiFi3', 2.6624 / 3, 'a third of LoFi', 'tpq'),
  ('n1', 'core', 'HiFi4', 0.6656, 'a quarter of LoFi', 'tpq');
