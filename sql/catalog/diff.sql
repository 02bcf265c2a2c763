-- Names that mean the same on accelerators of two vendors, when call trees are compared: calls that
-- launch, copy, set and replay, and ops that libraries carry out.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  ('same name', 10, NULL, '^(cudaLaunchKernel(ExC)?|cuLaunchKernel(Ex)?|hip(Ext)?LaunchKernel|hip(Ext)?ModuleLaunchKernel)$', 'launch a kernel', 'calls that launch, copy, set and replay', 'tpq'),
  ('same name', 20, NULL, '^(cudaMemcpyAsync|hipMemcpyAsync|hipMemcpyWithStream)$', 'copy', 'calls that launch, copy, set and replay', 'tpq'),
  ('same name', 30, NULL, '^(cuda|hip)MemsetAsync$', 'set memory', 'calls that launch, copy, set and replay', 'tpq'),
  ('same name', 40, NULL, '^(cuda|hip)GraphLaunch$', 'launch a graph', 'calls that launch, copy, set and replay', 'tpq'),
  ('same name', 50, NULL, '^aten::(cudnn|miopen)_convolution$', 'aten::convolution of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 51, NULL, '^aten::(cudnn|miopen)_convolution_transpose$', 'aten::convolution_transpose of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 52, NULL, '^aten::(cudnn|miopen)_depthwise_convolution$', 'aten::depthwise_convolution of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 53, NULL, '^aten::(cudnn|miopen)_convolution(_add)?_relu$', 'aten::convolution_relu of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 60, NULL, '^aten::(cudnn|miopen)_batch_norm$', 'aten::batch_norm of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 61, NULL, '^aten::(cudnn|miopen)_batch_norm_backward$', 'aten::batch_norm_backward of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 70, NULL, '^aten::(_cudnn|miopen)_rnn$', 'aten::rnn of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 71, NULL, '^aten::(_cudnn|miopen)_rnn_backward$', 'aten::rnn_backward of a library', 'ops that libraries carry out', 'tpq'),
  ('same name', 80, NULL, '^aten::_(cudnn|miopen)_ctc_loss$', 'aten::ctc_loss of a library', 'ops that libraries carry out', 'tpq');
