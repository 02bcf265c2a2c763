-- What names tell. AMD's runtime copies and fills with kernels of its own.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, source) VALUES
  ('timeline', 10, 'gpu_memcpy', '', 'memcpy', 'tpq'),
  ('timeline', 20, 'kernel', '^(MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST|DEVICE_TO_DEVICE)|__amd_rocclr_copyBuffer(Rect)?(Aligned)?)(\.kd)?$', 'memcpy', 'tpq'),
  ('timeline', 30, 'kernel', '^__amd_rocclr_fillBuffer(Aligned)?(\.kd)?$', 'computation', 'tpq'),
  ('timeline', 40, NULL, '(?i)rccl|nccl|cross_device_reduce', 'communication', 'tpq'),
  ('timeline', 50, NULL, '', 'computation', 'tpq'),
  ('op', 10, NULL, '(?s)^void at::native.*elementwise', 'elementwise', 'tpq'),
  ('op', 20, NULL, '(?s)^void at::native.*reduce', 'reduce', 'tpq'),
  ('op', 30, NULL, '(?s)^void at::native.*multi_tensor_apply', 'multi_tensor_apply', 'tpq'),
  ('launcher', 10, NULL, '(?i)cudagraph|graphlaunch', 'graph', 'tpq'),
  ('launcher', 20, NULL, '', 'runtime', 'tpq');
