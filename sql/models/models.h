/* models: FLOPs and bytes of what accelerators compute, as plain arithmetic; types of tensors; ops
 * in the names of compiled kernels.
 *
 * One function is one formula. All of them take and give doubles: counts are exact up to 2^53, and
 * nothing can overflow. Flags are 0 or 1. A result that does not exist is NaN.
 * functions/bind_models.c makes SQL functions of them, under the same names and with the arguments
 * in the same order; its table says in words what each one counts.
 *
 * A multiplication and an addition count as two operations. Bytes are those of every operand once.
 */
#pragma once

#include "src/base/text.h"

/* Matrix products (M, K) x (K, N). */
double gemm_flops(double m, double n, double k, double bias);
double gemm_bytes(double m, double n, double k, double bias, double bpe_a, double bpe_b,
                  double bpe_bias, double bpe_out);
double gemm_bwd_flops(double m, double n, double k, double bias);
double gemm_bwd_bytes(double m, double n, double k, double bias, double bpe);
double gemm_mx_bytes(double m, double n, double k, double bpe_a, double bpe_b, double bpe_scale_a,
                     double bpe_scale_b);
double grouped_gemm_flops(double m, double n, double k);
double grouped_gemm_bytes(double m, double n, double k, double groups, double bpe_in,
                          double bpe_out);

/* Attention. */
double sdpa_flops(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                  double d_v, double causal);
double sdpa_bytes(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                  double d_v, double bpe);
double sdpa_bwd_flops(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                      double d_v, double causal, double flash);
double sdpa_bwd_bytes(double b, double n_q, double h_q, double n_kv, double h_kv, double d_qk,
                      double d_v, double bpe);
double paged_attention_flops(double h_q, double d_qk, double d_v, double prefill_pairs,
                             double decode_pairs);
double paged_attention_bytes(double queries, double keys, double h_q, double h_kv, double d_qk,
                             double d_v, double bpe, double bpe_kv);

/* Convolutions of any rank. Input, output and filter are numbers of elements; `filters` is the
 * first extent of the filter, so that filter / filters is what one result is summed over. */
double conv_flops(double input, double output, double filter, double filters, double bias,
                  double transposed);
double conv_bytes(double input, double output, double filter, double channels, double bias,
                  double bpe);
double conv_bwd_flops(double input, double output, double filter, double filters, double bias,
                      double transposed);
double conv_bwd_bytes(double input, double output, double filter, double channels, double bias,
                      double bpe);

/* One result for each element; quantisation; embeddings. */
double elementwise_flops(double elements, double each);
double unary_bytes(double elements, double bpe_in, double bpe_out);
double binary_bytes(double left, double bpe_left, double right, double bpe_right, double out,
                    double bpe_out);
double gated_bytes(double elements, double bpe_in, double bpe_out);
double mx_quant_bytes(double elements, double bpe);
double mx_quant_dual_bytes(double m, double n, double bpe);
double group_quant_bytes(double m, double n, double group, double bpe);
double embedding_bytes(double rows, double width, double bpe, double bpe_index);

/* Many elements to fewer. */
double reduce_flops(double inputs);
double reduce_bytes(double inputs, double outputs, double bpe_in, double bpe_out);

/* Batch, layer, group and instance norm, and RMS norm. `channels` is the number of statistics, of
 * RMS norm the number of elements that one is taken over. */
double norm_flops(double elements, double channels, double training);
double norm_bytes(double elements, double channels, double bpe, double affine, double bias,
                  double training);
double norm_bwd_flops(double elements, double channels, double training, double input_gradient);
double norm_bwd_bytes(double elements, double channels, double bpe, double affine, double bias,
                      double training, double input_gradient);
double rms_norm_flops(double elements, double channels, double affine);
double rms_norm_bytes(double elements, double channels, double bpe, double affine);
double rms_norm_bwd_flops(double elements, double channels, double affine, double input_gradient,
                          double weight_gradient);
double rms_norm_bwd_bytes(double elements, double channels, double bpe, double affine);

/* Softmax and cross entropy. */
double softmax_flops(double m, double n, double b);
double softmax_bytes(double m, double n, double bpe, double b);
double softmax_bwd_flops(double m, double n, double b);
double softmax_bwd_bytes(double m, double n, double bpe, double b);
double cross_entropy_flops(double batch, double vocabulary);
double cross_entropy_bytes(double batch, double logits, double bpe);

/* Rotary embeddings. */
double rope_flops(double elements);
double rope_bytes(double elements, double bpe);
double rope_cache_bytes(double tokens, double q_heads, double kv_heads, double d, double bpe,
                        double bpe_out, double bpe_kv);

/* Mixtures of experts. Each token goes to `topk` of the experts. */
double moe_experts(double experts, double topk, double tokens);
double moe_up_flops(double tokens, double hidden, double inter, double topk, double gated);
double moe_up_bytes(double tokens, double hidden, double inter, double experts, double topk,
                    double gated, double bpe_in, double bpe_weight, double bpe_out);
double moe_down_flops(double tokens, double hidden, double inter, double topk);
double moe_down_bytes(double tokens, double hidden, double inter, double experts, double topk,
                      double bpe_in, double bpe_weight, double bpe_out);
double moe_fused_flops(double tokens, double hidden, double inter, double topk, double gated);
double moe_fused_bytes(double tokens, double hidden, double inter, double experts, double topk,
                       double gated, double bpe_in, double bpe_weight, double bpe_out);

/* State space models: the short causal convolution, and the scan by chunks (SSD). */
double conv1d_flops(double batch, double channels, double length, double kernel);
double conv1d_bytes(double batch, double channels, double length, double kernel, double bias,
                    double bpe);
double ssd_flops(double batch, double length, double heads, double d_head, double groups,
                 double d_state, double chunk, double channels, double kernel);

/* Manifold-constrained hyper-connections: several residual streams that are mixed. */
double mhc_mix_flops(double tokens, double streams, double width);

/* Collectives: bytes that they move through the memory of their own device. */
double all_reduce_bytes(double elements, double bpe);
double gather_scatter_bytes(double inputs, double outputs, double bpe);

/* The least time that a device can take. */
double roofline_us(double flops, double bytes, double tflops, double gbps);

/* The operands of a matrix product that are transposed, by the name of its kernel: 0, 1, or -1
 * where it does not say. Returns 1, 0 when the name tells nothing, -1 when it should but is cut
 * short. */
int gemm_layout_of(const char *kernel, int layout[2]);

/* ------------------------------------------------------------------ types of tensors: dtype.c */

/* Bytes of an element; NaN when the type is not known. Case does not matter. With `compat` only
 * the types that the reference tools know. */
double dtype_bytes(const char *type, bool compat);

/* The precision that it is computed in (bf16, fp8, ...); NULL when there is none. */
const char *dtype_precision(const char *type, bool compat);

/* Bytes of an element in the reference's table for mixtures of experts, which minds case. */
double dtype_moe_bytes(const char *type, double otherwise);

/* Bytes of an element in the reference's table for compiled kernels; 0 when not known. */
double dtype_compiled_bytes(const char *type);

/* The type that a short name means (bf16, fp8_e4m3, i64, ...), or the name itself. */
const char *dtype_long_name(const char *name);

/* ------------------------------------------------------------------ compiled kernels: triton.c
 *
 * torch.compile names a kernel after the ops that it fuses: triton_poi_fused_add_mul_3 computes
 * aten.add and aten.mul. */

/* Appends the ops that a kernel's name speaks of: "aten.add, aten.mul"; nothing when the name is
 * of another form. */
void triton_ops(const char *kernel, struct text *out);

/* Operations for each element, summed over the ops of a kernel. */
double triton_cost(const char *kernel);
