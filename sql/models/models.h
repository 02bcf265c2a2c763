/* models: FLOPs and bytes of what accelerators compute, as plain arithmetic.
 *
 * One function is one formula; one file is one family. All of them take and give doubles: counts
 * are exact up to 2^53, and nothing can overflow. Flags are 0 or 1. A result that does not exist is
 * NaN. functions/bind_models.c makes SQL functions of them, under the same names and with the
 * arguments in the same order; its table says in words what each one counts.
 *
 * A multiplication and an addition count as two operations. Bytes are those of every operand once.
 */
#pragma once

/* gemm.c: matrix products (M, K) x (K, N). */
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

/* sdpa.c: attention. */
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

/* conv.c: convolutions, from numbers of elements. */
double conv_flops(double input, double output, double filter, double filters, double bias,
                  double transposed);
double conv_bytes(double input, double output, double filter, double channels, double bias,
                  double bpe);
double conv_bwd_flops(double input, double output, double filter, double filters, double bias,
                      double transposed);
double conv_bwd_bytes(double input, double output, double filter, double channels, double bias,
                      double bpe);

/* elementwise.c: one result for each element; quantisation; embeddings. */
double elementwise_flops(double elements, double each);
double unary_bytes(double elements, double bpe_in, double bpe_out);
double binary_bytes(double left, double bpe_left, double right, double bpe_right, double out,
                    double bpe_out);
double gated_bytes(double elements, double bpe_in, double bpe_out);
double mx_quant_bytes(double elements, double bpe);
double mx_quant_dual_bytes(double m, double n, double bpe);
double group_quant_bytes(double m, double n, double group, double bpe);
double embedding_bytes(double rows, double width, double bpe, double bpe_index);

/* reduce.c */
double reduce_flops(double inputs);
double reduce_bytes(double inputs, double outputs, double bpe_in, double bpe_out);

/* norm.c: batch, layer, group and instance norm; RMS norm. */
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

/* softmax.c: softmax and cross entropy. */
double softmax_flops(double m, double n, double b);
double softmax_bytes(double m, double n, double bpe, double b);
double softmax_bwd_flops(double m, double n, double b);
double softmax_bwd_bytes(double m, double n, double bpe, double b);
double cross_entropy_flops(double batch, double vocabulary);
double cross_entropy_bytes(double batch, double logits, double bpe);

/* rope.c: rotary embeddings. */
double rope_flops(double elements);
double rope_bytes(double elements, double bpe);
double rope_cache_bytes(double tokens, double q_heads, double kv_heads, double d, double bpe,
                        double bpe_out, double bpe_kv);

/* moe.c: mixtures of experts. */
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

/* ssm.c: state space models. */
double conv1d_flops(double batch, double channels, double length, double kernel);
double conv1d_bytes(double batch, double channels, double length, double kernel, double bias,
                    double bpe);
double ssd_flops(double batch, double length, double heads, double d_head, double groups,
                 double d_state, double chunk, double channels, double kernel);

/* mhc.c: manifold-constrained hyper-connections. */
double mhc_mix_flops(double tokens, double streams, double width);

/* collective.c: what a collective moves through the memory of its own device. */
double all_reduce_bytes(double elements, double bpe);
double gather_scatter_bytes(double inputs, double outputs, double bpe);

/* roofline.c */
double roofline_us(double flops, double bytes, double tflops, double gbps);

/* The operands of a matrix product that are transposed, by the name of its kernel: 0, 1, or -1
 * where it does not say. Returns 1, 0 when the name tells nothing, -1 when it should but is cut
 * short. */
int gemm_layout_of(const char *kernel, int layout[2]);
