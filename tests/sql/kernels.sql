-- Names of kernels as people say them.

-- ------------------------------------------------------------------ kernel_short_name
SELECT 'of Kernel2 the first template argument, and at most 40 characters',
  kernel_short_name('void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1>(cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_nn_align1::Params)')
    = 'cutlass_75_tensorop_bf16_s1688gemm_bf16…';
SELECT 'the last identifier outside of templates and arguments',
  kernel_short_name('void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*, float const*, int, int, int, bool const*, int, bool)')
    = 'softmax_warp_forward'
  AND kernel_short_name('void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous namespace)::OpaqueType<4u>, unsigned int, 3, 64, 64>(int)')
    = 'CatArrayBatchedCopy'
  AND kernel_short_name('ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)') = 'ncclKernel_AllReduce_RING_LL_Sum_float';
SELECT '_kernel at the end says nothing',
  kernel_short_name('void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)')
    = 'vectorized_elementwise'
  AND kernel_short_name('my_kernel') = 'my' AND kernel_short_name('_kernel') = '_kernel'
  AND kernel_short_name('kernel') = 'kernel' AND kernel_short_name('a_kernel_b') = 'a_kernel_b';
SELECT 'Kernel, Kernel2 and kernel, and no other, are what they are made of',
  kernel_short_name('void cutlass::Kernel<a::b::ReduceSplitK<c::Shape<4, 128> >, int>(int)') = 'ReduceSplitK'
  AND kernel_short_name('void kernel<Kernel<Kernel2<gemm_kernel> > >()') = 'gemm'
  AND kernel_short_name('void clover::par_ranged2d_kernel<advec_mom_kernel(int, clover::Buffer2D<double> &)::[lambda(int, int) (instance 1)]>(clover::Range2d, T1)') = 'advec_mom'
  AND kernel_short_name('void Kernel3<gemm>()') = 'Kernel3'
  AND kernel_short_name('void cutlass::Kernel<4>(int)') = 'Kernel'
  AND kernel_short_name('void cutlass::Kernel(int)') = 'Kernel';
SELECT 'a type that all kernels have is no name: then it is the one of the namespace',
  kernel_short_name('std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int, __nv_bfloat16>(float)') = 'gemvx'
  AND kernel_short_name('void kernel<float>(int)') = 'kernel';
SELECT 'arguments that are functions, lambdas and operators do not count',
  kernel_short_name('void at::native::elementwise_kernel<128, 4, at::native::gpu_kernel_impl<at::native::copy_cuda(at::TensorIteratorBase&)::{lambda()#3}::operator()() const::{lambda(float)#1}>(at::TensorIteratorBase&)::{lambda(int)#1}>(int)')
    = 'elementwise'
  AND kernel_short_name('void a::b::run(int)::{lambda(int)#1}::operator()(int) const') = 'run'
  AND kernel_short_name('a::functor::operator()<float>(float)') = 'functor'
  AND kernel_short_name('foo<(a->b), 3>::bar(int)') = 'bar';
SELECT 'whatever the type of the result',
  kernel_short_name('unsigned int a::reduce<int>(int*)') = 'reduce'
  AND kernel_short_name('std::vector<int> a::make(int)') = 'make';
SELECT 'mangled names',
  kernel_short_name('_ZN2ck16tensor_operation6device12_GLOBAL__N_149kernel_grouped_conv_fwd_multiple_abd_xdl_cshuffleINS_34GridwiseGemmMultipleD_xdl_cshuffleItttfEEEvT_')
    = 'kernel_grouped_conv_fwd_multiple_abd_xd…'
  AND kernel_short_name('_ZN19cutlass_cudnn_train6KernelINS_4conv6kernel23ImplicitGemmConvolutionINS1_11threadblock22ImplicitGemmMultistageE') = 'ImplicitGemmConvolution'
  AND kernel_short_name('_ZN7ck_tile6kentryILi1ENS_12Rmsnorm2dFwdEEvT_') = 'Rmsnorm2dFwd'
  AND kernel_short_name('_Z10add_kernelPfS_') = 'add' AND kernel_short_name('_Z') = '_Z'
  AND kernel_short_name('_ZN99999999999999999999x') = '_ZN99999999999999999999x' AND kernel_short_name('_Z9ab') = '_Z9ab';
SELECT 'wrappers have the name of the argument that ends in Kernel, else of the first',
  kernel_short_name('void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaFwdKernel<ck_tile::Pipeline<std::bfloat16_t> > >(ck_tile::FmhaFwdKernel<int>::Kargs)') = 'FmhaFwdKernel'
  AND kernel_short_name('_ZN7ck_tile6kentryINS_8gfx950_tELi2ENS_13FmhaFwdKernelINS_8PipelineIiEEEEEEvT_') = 'FmhaFwdKernel'
  AND kernel_short_name('void cutlass::device_kernel<flash::FlashAttnFwdSm90<flash::Mainloop<2> > >(int)') = 'FlashAttnFwdSm90';
SELECT 'copies, and what compilers name, stay',
  kernel_short_name('Memcpy DtoH (Device -> Pinned)') = 'Memcpy DtoH (Device -> Pinned)'
  AND kernel_short_name('Memset (Device)') = 'Memset (Device)' AND kernel_short_name('Memcpy HtoD') = 'Memcpy HtoD'
  AND kernel_short_name('triton_poi_fused_add_addmm_silu_3') = 'triton_poi_fused_add_addmm_silu_3'
  AND kernel_short_name('__amd_rocclr_copyBuffer.kd') = '__amd_rocclr_copyBuffer.kd'
  AND kernel_short_name('input_transpose_fusion') = 'input_transpose_fusion';
SELECT 'names that the profiler has cut',
  kernel_short_name('void at::native::foo_kernel<at::native::bar<float, at::') = 'foo'
  AND kernel_short_name('void at::native::foo(int, at::') = 'foo' AND kernel_short_name('void a::') = 'a';
SELECT 'characters count, not bytes',
  kernel_short_name(printf('%.40c', 'ä')) = printf('%.40c', 'ä') AND kernel_short_name(printf('%.41c', 'ä')) = printf('%.39c', 'ä') || '…'
  AND length(kernel_short_name('void f::' || printf('%.400c', 'x') || '<int>()')) = 40;
SELECT 'NULL, nothing and numbers',
  kernel_short_name(NULL) IS NULL AND kernel_short_name('') = '' AND kernel_short_name(12) = '12'
  AND kernel_short_name('<') = '<' AND kernel_short_name('()') = '()' AND kernel_short_name('::') = '::';
SELECT 'no name of the warehouse has a short one that is empty or long',
  count(*) = sum(length(kernel_short_name(name)) BETWEEN 1 AND 40) FROM (SELECT DISTINCT name FROM gpu_slice);

-- ------------------------------------------------------------------ kernel_base_name
SELECT 'the last identifier as it stands', kernel_base_name('void at::native::(anonymous namespace)::reduce_kernel<512, f<int>::g>(T3)') = 'reduce_kernel'
  AND kernel_base_name('void cutlass::Kernel2<gemm>(int)') = 'Kernel2' AND kernel_base_name('_ZN2ck6kernelINS_4GemmEEEvv') = 'kernel'
  AND kernel_base_name('my_kernel') = 'my_kernel' AND kernel_base_name('CUDA graph 4') = 'CUDA graph 4' AND kernel_base_name('') = ''
  AND kernel_base_name(NULL) IS NULL;
