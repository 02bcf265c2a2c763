"""The miniature of a served model: seven steps of an engine with two layers, some 450 events.

    trace()      the steps: two of prefill, one of prefill and decode, two of decode, two of decode in a graph
    capture()    the recording of that graph, from before the server began to serve
    INDEX        what the folder of recordings says about itself

A step is marked as vLLM marks it: `execute_<tokens>_context_<requests>(sq..sk..sqsq..sqsk..)_generation_...`, where
sq sums up the query tokens of the requests, sk their key tokens, sqsq and sqsk the products.
"""
from kineto import Machine, Work

LAYERS, HIDDEN, HEADS, KV_HEADS, HEAD, FEATURES, WORDS = 2, 1024, 16, 4, 64, 2816, 32000
CAPTURED = 8  # rows of the graph
INDEX = [{"file": "decode_8.json", "batch_size": CAPTURED, "mode": "FULL"}]
BF16 = "c10::BFloat16"
STREAM = 7

# (queries, keys) of each request: in prefill and in decode, and whether the step replays the graph
STEPS = [
    ([(512, 512), (300, 300)], [], False),
    ([(512, 1024)], [], False),
    ([(256, 256)], [(1, 513), (1, 301), (1, 1025)], False),
    ([], [(1, 514), (1, 302), (1, 1026), (1, 257)], False),
    ([], [(1, 515), (1, 303), (1, 1027), (1, 258)], False),
    ([], [(1, 100 + 40 * i) for i in range(8)], True),
    ([], [(1, 101 + 40 * i) for i in range(6)], True),
]


def mark(prefill, decode):
    def sums(requests):
        return "(sq%dsk%dsqsq%dsqsk%d)" % (sum(q for q, _ in requests), sum(k for _, k in requests),
                                          sum(q * q for q, _ in requests), sum(q * k for q, k in requests))
    tokens = sum(q for q, _ in prefill + decode)
    return f"execute_{tokens}_context_{len(prefill)}{sums(prefill)}_generation_{len(decode)}{sums(decode)}"


def product(m, rows, inner, columns, kernel, duration):
    with m.op("aten::mm", dims=[[rows, inner], [inner, columns]], types=[BF16, BF16]):
        m.launch(Work(kernel, STREAM, duration))


def layer(m, rows):
    base = 4_000 + 25 * rows
    product(m, rows, HIDDEN, (HEADS + 2 * KV_HEADS) * HEAD, "nvjet_tst_64x8_64x16_2x1_v_bz_TNT", base)
    with m.op("_C::rotary_embedding", dims=[[rows], [rows, HEADS * HEAD], [rows, KV_HEADS * HEAD]],
              types=["long int", BF16, BF16]):
        m.launch(Work("void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", STREAM, 2_400))
    query, key = [rows, HEADS, HEAD], [rows, KV_HEADS, HEAD]
    with m.op("vllm::unified_attention_with_output", dims=[query, key, key, query], types=[BF16] * 4):
        with m.op("_C_cache_ops::reshape_and_cache_flash", dims=[key, key], types=[BF16] * 2):
            m.launch(Work("void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16>(int)", STREAM, 1_900))
        m.launch(Work("void flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64, 64, 256>>(Flash_fwd_params)",
                      STREAM, 2 * base))
    product(m, rows, HEADS * HEAD, HIDDEN, "nvjet_tst_64x8_64x16_2x1_v_bz_TNT", base)
    with m.op("_C::silu_and_mul", dims=[[rows, FEATURES], [rows, 2 * FEATURES]], types=[BF16, BF16]):
        m.launch(Work("void vllm::act_and_mul_kernel<c10::BFloat16, vllm::silu_kernel>(int)", STREAM, 2_800))
    product(m, rows, FEATURES, HIDDEN, "nvjet_tst_128x8_64x12_2x1_v_bz_splitK_TNT", base + 900)


def sample(m, requests):
    with m.op("aten::argmax", dims=[[requests, WORDS], [], []], types=[BF16, "Scalar", "Scalar"],
              inputs=["", "-1", "False"]):
        m.launch(Work("void at::native::reduce_kernel<512, 1, at::native::ReduceOp<ArgMaxOps>>(int)", STREAM, 6_000))
    with m.op("aten::copy_", dims=[[requests], [requests], []], types=["long int", "long int", "Scalar"],
              inputs=["", "", "True"]):
        m.launch(Work("Memcpy DtoH (Device -> Pinned)", STREAM, 1_400, "gpu_memcpy", bytes=8 * requests))
        m.synchronize()


def trace():
    m = Machine()
    for prefill, decode, replays in STEPS:
        rows = sum(q for q, _ in prefill + decode)
        with m.mark(mark(prefill, decode)):
            with m.frame("vllm/v1/worker/gpu_model_runner.py(1200): execute_model"):
                with m.op("aten::slice", dims=[[4096], [], [], [], []], types=["long int"] + ["Scalar"] * 4):
                    pass
                if replays:
                    like = Machine(recording=True)
                    works = []
                    like.launch = lambda *of, **_: works.extend(of)
                    for _ in range(LAYERS):
                        layer(like, CAPTURED)
                    m.launch(*works, call="cudaGraphLaunch")
                else:
                    for _ in range(LAYERS):
                        layer(m, rows)
                sample(m, len(prefill) + len(decode))
        m.wait(15_000)
    return m.trace()


def capture():
    m = Machine(recording=True)
    with m.frame("vllm/v1/worker/gpu_model_runner.py(2400): _dummy_run"):
        with m.call("cudaStreamBeginCapture"):
            pass
        with m.frame("model.py(300): forward"):
            for _ in range(LAYERS):
                layer(m, CAPTURED)
        with m.call("cudaStreamEndCapture"):
            pass
    return m.trace()
