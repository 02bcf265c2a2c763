-- The kernels' names choose the peak where the accelerator has none of the kind that a model asks for,
-- and tell copies that pass the link to the host instead of the accelerator's memory.
INSERT OR IGNORE INTO kernel_category (purpose, priority, kind, pattern, category, reason, source) VALUES
  -- NVIDIA has no matrix units for fp32: such products run as TF32 where that is allowed, else on the
  -- vector units. The kernel's name says which; a name that does not say leaves it open.
  ('peak matrix_fp32', 10, NULL, '(?i)tf32|tensor_?op|[^a-z]s(1688|16816|64x\d+x8)gemm|^nvjet_s', 'matrix_tf32', 'NVIDIA has no matrix units for fp32: this product ran as TF32', 'tpq'),
  ('peak matrix_fp32', 20, NULL, '(?i)sgemm|gemv|gemmSN|gemmk1|dot_kernel|ffma|simt|scudnn|winograd|fft|convolve|conv2d_grouped|depthwise|[dw]grad(2d|_alg|_engine)', 'vector_fp32', 'NVIDIA has no matrix units for fp32: this product ran on the vector units', 'tpq'),
  ('peak matrix_fp64', 10, NULL, '', 'vector_fp64', 'without matrix units of that precision products run on the vector units', 'tpq'),
  ('peak vector_bf16', 10, NULL, '', 'vector_fp32', 'elementwise kernels compute in fp32 where no faster rate is stated', 'tpq'),
  ('peak vector_fp16', 10, NULL, '', 'vector_fp32', 'elementwise kernels compute in fp32 where no faster rate is stated', 'tpq'),
  ('link', 10, NULL, '(?i)Memcpy ?(HtoD|DtoH|H2D|D2H)|MEMORY_COPY_(HOST_TO_DEVICE|DEVICE_TO_HOST)|Copy(HostToDevice|DeviceToHost)', 'host', 'copies of the profilers of NVIDIA and AMD, and of XLA, between host and accelerator', 'tpq'),
  ('product', 10, NULL, '(?i)tf32|s1688|s16816|h1688|h16816|bf16|_f16|hmma|tensorop|xmma_gemm_bf', 'matrix unit', 'kernels that are named after types that only matrix units have', 'tpq');

-- Bandwidth of the link to the host, each way, as makers state it. A device that is not here has a link
-- of its own kind, or none stated: nothing is claimed about its copies.
INSERT OR IGNORE INTO device_model (device, kind, name_pattern, mem_bw_gbps, origin, source) VALUES
  ('V100-SXM2-32GB', 'link', '-', 16, 'NVIDIA V100 datasheet: PCIe 3.0 x16', 'tpq'),
  ('A100-SXM4-40GB', 'link', '-', 32, 'NVIDIA A100 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('A100-SXM4-80GB', 'link', '-', 32, 'NVIDIA A100 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('H100-SXM5-80GB', 'link', '-', 64, 'NVIDIA H100 datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('H100-PCIe-80GB', 'link', '-', 64, 'NVIDIA H100 datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('H200-SXM-141GB', 'link', '-', 64, 'NVIDIA H200 datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('V100-PCIe', 'link', '-', 16, 'NVIDIA V100 datasheet: PCIe 3.0 x16', 'tpq'),
  ('V100S-PCIe-32GB', 'link', '-', 16, 'NVIDIA V100 datasheet: PCIe 3.0 x16', 'tpq'),
  ('A100-PCIe-80GB', 'link', '-', 32, 'NVIDIA A100 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('A30', 'link', '-', 32, 'NVIDIA A30 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('A10', 'link', '-', 32, 'NVIDIA A10 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('H100-NVL-94GB', 'link', '-', 64, 'NVIDIA H100 datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('H200-NVL-141GB', 'link', '-', 64, 'NVIDIA H200 datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('L40', 'link', '-', 32, 'NVIDIA L40 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('L40S', 'link', '-', 32, 'NVIDIA L40S datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('L4', 'link', '-', 32, 'NVIDIA L4 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('MI100', 'link', '-', 32, 'AMD MI100 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('MI210', 'link', '-', 32, 'AMD MI210 datasheet: PCIe 4.0 x16, 64 GB/s both ways', 'tpq'),
  ('MI300X', 'link', '-', 64, 'AMD MI300X datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('MI325X', 'link', '-', 64, 'AMD MI325X datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq'),
  ('MI355X', 'link', '-', 64, 'AMD MI355X datasheet: PCIe 5.0 x16, 128 GB/s both ways', 'tpq');

-- Bandwidth of a device to the others of its machine, each way, as makers state it. Links that a machine
-- may lack, such as bridges of PCIe cards, are not here; the recorded name must tell the module.
INSERT OR IGNORE INTO device_model (device, kind, name_pattern, mem_bw_gbps, origin, source) VALUES
  ('V100-SXM2-32GB', 'peer', '*SXM*', 150, 'NVIDIA V100 datasheet: NVLink, 300 GB/s both ways', 'tpq'),
  ('A100-SXM4-40GB', 'peer', '*SXM*', 300, 'NVIDIA A100 datasheet: NVLink, 600 GB/s both ways', 'tpq'),
  ('A100-SXM4-80GB', 'peer', '*SXM*', 300, 'NVIDIA A100 datasheet: NVLink, 600 GB/s both ways', 'tpq'),
  ('H100-SXM5-80GB', 'peer', '*HBM3*', 450, 'NVIDIA H100 datasheet: NVLink, 900 GB/s both ways', 'tpq'),
  ('H200-SXM-141GB', 'peer', '*H200*', 450, 'NVIDIA H200 datasheet: NVLink, 900 GB/s both ways', 'tpq'),
  ('B200-HGX-180GB', 'peer', '*B200*', 900, 'NVIDIA HGX B200 datasheet: NVLink, 1.8 TB/s both ways', 'tpq'),
  ('MI300X', 'peer', '*MI300X*', 448, 'AMD MI300X datasheet: 7 Infinity Fabric links, 128 GB/s both ways each', 'tpq'),
  ('MI325X', 'peer', '*MI325X*', 448, 'AMD MI325X datasheet: 7 Infinity Fabric links, 128 GB/s both ways each', 'tpq'),
  ('MI355X', 'peer', '*MI355X*', 537.6, 'AMD MI355X datasheet: 7 Infinity Fabric links, 153.6 GB/s both ways each', 'tpq');
