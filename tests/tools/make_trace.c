/* make_trace: writes a trace of a made-up training run, as PyTorch's profiler would.
 *
 *     make_trace [--steps N] [--layers N] [--rank N] [--seed N] [--no-python] [--serve] >
 * TRACE.json
 *
 * A step copies a batch to the device, runs the layers forward and backward (the backward pass on
 * a thread of its own), reduces gradients over the ranks, and applies the optimizer as a replayed
 * graph. With --serve steps are marked as an engine would that serves a model: the first one is
 * prefill, the others are decode. Before the first step a kernel runs whose launch is not in the
 * trace. The same options give the same bytes.
 */
#include "src/base/array.h"
#include "src/base/text.h"

#include <stdio.h>
#include <string.h>

enum {
    PROCESS = 4000,
    MAIN_THREAD = 4000,
    BACKWARD_THREAD = 4017,
    STREAM_COMPUTE = 7,
    STREAM_COLLECTIVE = 20,
    DEVICE = 0,
    HIDDEN = 512,
    BATCH = 64,
};

/* Groups in which the profiler writes events. */
enum group { GROUP_OPS, GROUP_FRAMES, GROUP_RUNTIME, GROUP_DEVICE, GROUP_COUNT };

struct line {
    enum group group;
    long long time;
    size_t order;
    char *text;
};

struct maker {
    int steps, layers, rank;
    bool python, serve;
    unsigned long long random;
    long long clock;          /* ns, of the host thread in hand */
    long long stream_free[2]; /* when each stream has done its work */
    int thread;
    int correlation, external, sequence, frame, served;
    long long allocated;
    bool any_written;
    ARRAY(struct line) lines;
};

static int chance(struct maker *self, int range)
{
    self->random = self->random * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((self->random >> 33) % (unsigned)range);
}

/* Passes time on the host. */
static long long spend(struct maker *self, int least, int range)
{
    self->clock += least + chance(self, range);
    return self->clock;
}

__attribute__((format(printf, 4, 5))) static void add(struct maker *self, enum group group,
                                                      long long time, const char *format, ...)
{
    struct line *line = array_push(&self->lines);
    struct text text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&text, format, arguments);
    va_end(arguments);
    *line = (struct line){group, time, self->lines.count, text.items};
}

/* A time in microseconds, as the profiler writes it. */
#define US       "%lld.%03lld"
#define IN_US(t) (long long)(t) / 1000, (long long)(t) % 1000
#define SLICE \
    "{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":" US ",\"dur\":" US
#define EDGE(kind)                                                    \
    "{\"ph\":\"" kind "\",\"id\":%d,\"pid\":%d,\"tid\":%d,\"ts\":" US \
    ",\"cat\":\"%s\",\"name\":\"%s\""

/* ------------------------------------------------------------------ host */

static long long open_frame(struct maker *self)
{
    return spend(self, 800, 1500);
}

static void close_frame(struct maker *self, const char *name, long long start)
{
    spend(self, 300, 700);
    if (self->python)
        add(self, GROUP_FRAMES, start,
            SLICE ",\"args\":{\"Python parent id\":%d,\"Python id\":%d,\"Ev Idx\":%d}}",
            "python_function", name, PROCESS, self->thread, IN_US(start),
            IN_US(self->clock - start), self->frame, self->frame + 1, self->frame);
    self->frame++;
}

static void close_op(struct maker *self, const char *name, long long start, const char *inputs)
{
    spend(self, 400, 900);
    add(self, GROUP_OPS, start,
        SLICE ",\"args\":{\"External id\":%d,\"Record function id\":0,%s\"Ev Idx\":%d}}", "cpu_op",
        name, PROCESS, self->thread, IN_US(start), IN_US(self->clock - start), self->external,
        inputs, self->external);
    self->external++;
}

/* One end of the arrow from a forward op to its backward op. */
static void arrow(struct maker *self, const char *form, int sequence, long long time)
{
    add(self, GROUP_OPS, time, form, sequence + 1, PROCESS, self->thread, IN_US(time), "fwdbwd",
        "fwdbwd");
}

/* ------------------------------------------------------------------ device */

static int stream_number(int stream)
{
    return stream ? STREAM_COLLECTIVE : STREAM_COMPUTE;
}

/* Work on a stream, not before `launch`; the time it takes. */
static void run_on_device(struct maker *self, int stream, const char *category, const char *name,
                          long long launch, int duration, int correlation, const char *more)
{
    long long start = launch + 1800 + chance(self, 900);
    if (start < self->stream_free[stream])
        start = self->stream_free[stream] + 300 + chance(self, 400);
    self->stream_free[stream] = start + duration;
    add(self, GROUP_DEVICE, start,
        SLICE ",\"args\":{\"External id\":%d,\"device\":%d,\"context\":1,\"stream\":%d,"
              "\"correlation\":%d%s}}",
        category, name, DEVICE, stream_number(stream), IN_US(start), IN_US(duration),
        self->external, DEVICE, stream_number(stream), correlation, more);
    add(self, GROUP_RUNTIME, start, EDGE("f") ",\"bp\":\"e\"}", correlation, DEVICE,
        stream_number(stream), IN_US(start), "ac2g", "ac2g");
}

static long long call(struct maker *self, const char *name)
{
    long long start = spend(self, 500, 400);
    spend(self, 2500, 2500);
    add(self, GROUP_RUNTIME, start,
        SLICE ",\"args\":{\"External id\":%d,\"cbid\":211,\"correlation\":%d}}", "cuda_runtime",
        name, PROCESS, self->thread, IN_US(start), IN_US(self->clock - start), self->external,
        ++self->correlation);
    add(self, GROUP_RUNTIME, start, EDGE("s") "}", self->correlation, PROCESS, self->thread,
        IN_US(start), "ac2g", "ac2g");
    return start;
}

static const char kernel_shape[] =
    ",\"registers per thread\":%d,\"shared memory\":%d,\"blocks per SM\":%d.5,\"warps per SM\":%d,"
    "\"grid\":[%d,%d,1],\"block\":[%d,1,1],\"est. achieved occupancy %%\":%d";

static void launch(struct maker *self, const char *kernel, int least, int range, int grid,
                   int block)
{
    char more[320];
    long long start = call(self, "cudaLaunchKernel");
    snprintf(more, sizeof more, kernel_shape, 32 + grid % 64, grid * 64, 1 + grid / 132,
             8 + grid / 33, grid, 2, block, 20 + grid % 70);
    run_on_device(self, 0, "kernel", kernel, start, least + chance(self, range), self->correlation,
                  more);
}

static void allocate(struct maker *self, long long bytes)
{
    self->allocated += bytes;
    add(self, GROUP_OPS, self->clock,
        "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":%d,"
        "\"tid\":%d,\"ts\":" US ",\"args\":{\"Total Reserved\":%d,\"Total Allocated\":%lld,"
        "\"Bytes\":%lld,\"Addr\":%lld,\"Device Id\":%d,\"Device Type\":1,\"Ev Idx\":1}}",
        PROCESS, self->thread, IN_US(self->clock), 64 << 20, self->allocated, bytes,
        140000000000000ll + self->allocated, DEVICE);
}

/* ------------------------------------------------------------------ a layer */

/* Gives the start of the op. */
static long long matmul(struct maker *self, const char *op, int rows, int columns, int depth,
                        const char *more)
{
    char inputs[512];
    snprintf(inputs, sizeof inputs,
             "%s\"Input Dims\":[[%d,%d],[%d,%d]],\"Input type\":[\"float\",\"float\"],"
             "\"Input Strides\":[[%d,1],[%d,1]],\"Concrete Inputs\":[\"\",\"\"],",
             more, rows, depth, depth, columns, depth, columns);
    long long start = spend(self, 400, 600);
    launch(self, "ampere_sgemm_128x64_tn", 9000 + rows * columns / 12, 800, columns / 8, 128);
    close_op(self, op, start, inputs);
    return start;
}

static void elementwise(struct maker *self, const char *op, const char *kernel, int elements)
{
    char inputs[256];
    snprintf(inputs, sizeof inputs,
             "\"Input Dims\":[[%d,%d]],\"Input type\":[\"float\"],\"Input Strides\":[[%d,1]],"
             "\"Concrete Inputs\":[\"\"],",
             BATCH, elements, elements);
    long long start = spend(self, 400, 600);
    launch(self, kernel, 1500 + elements, 400, 1 + elements / 64, 256);
    close_op(self, op, start, inputs);
}

static void forward_layer(struct maker *self, int layer, int *sequences)
{
    char module[64], inputs[400];
    snprintf(module, sizeof module, "nn.Module: Linear_%d", layer);
    long long outer = open_frame(self), inner = open_frame(self);
    long long start = spend(self, 500, 500);
    allocate(self, BATCH * HIDDEN * 4);
    sequences[layer] = self->sequence;
    snprintf(inputs, sizeof inputs, "\"Sequence number\":%d,\"Fwd thread id\":0,", self->sequence);
    arrow(self, EDGE("s") "}", self->sequence++,
          matmul(self, "aten::addmm", BATCH, HIDDEN, HIDDEN, inputs));
    close_op(self, "aten::linear", start, "");
    close_frame(self, "torch/nn/modules/linear.py(124): forward", inner);
    close_frame(self, module, outer);
    outer = open_frame(self);
    elementwise(self, "aten::relu", "void at::native::vectorized_elementwise_kernel<4, relu>(int)",
                HIDDEN);
    close_frame(self, "nn.Module: ReLU_0", outer);
}

static void backward_layer(struct maker *self, const int *sequences, int layer)
{
    char more[80], inputs[80];
    snprintf(more, sizeof more, "\"Sequence number\":%d,\"Fwd thread id\":1,", sequences[layer]);
    snprintf(inputs, sizeof inputs, "\"Sequence number\":%d,", sequences[layer]);
    long long outer = spend(self, 600, 600), inner = spend(self, 600, 600);
    matmul(self, "aten::mm", HIDDEN, HIDDEN, BATCH, "");
    matmul(self, "aten::mm", BATCH, HIDDEN, HIDDEN, "");
    close_op(self, "AddmmBackward0", inner, inputs);
    close_op(self, "autograd::engine::evaluate_function: AddmmBackward0", outer, more);
    arrow(self, EDGE("f") ",\"bp\":\"e\"}", sequences[layer], outer);
    allocate(self, -BATCH * HIDDEN * 4);
}

/* ------------------------------------------------------------------ a step */

static void copy_batch(struct maker *self)
{
    char more[120];
    long long outer = open_frame(self), start = spend(self, 500, 500);
    long long launched = call(self, "cudaMemcpyAsync");
    snprintf(more, sizeof more, ",\"bytes\":%d,\"memory bandwidth (GB/s)\":%d.25",
             BATCH * HIDDEN * 4, 11 + chance(self, 3));
    run_on_device(self, 0, "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", launched,
                  10000 + chance(self, 900), self->correlation, more);
    close_op(self, "aten::copy_", start,
             "\"Input Dims\":[[64,512],[64,512]],\"Input type\":[\"float\",\"float\"],"
             "\"Concrete Inputs\":[\"\",\"\"],");
    close_frame(self, "train.py(31): load", outer);
}

static void reduce_gradients(struct maker *self)
{
    char more[420];
    long long start = spend(self, 600, 600);
    long long launched = call(self, "cudaLaunchKernelExC");
    snprintf(
        more, sizeof more,
        ",\"Collective name\":\"allreduce\",\"In msg nelems\":%d,\"Out msg nelems\":%d,"
        "\"Group size\":2,\"dtype\":\"Float\",\"In split size\":\"[]\",\"Out split size\":\"[]\","
        "\"Process Group Name\":\"0\",\"Process Group Ranks\":\"[0, 1]\"",
        HIDDEN * HIDDEN, HIDDEN * HIDDEN);
    run_on_device(self, 1, "kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", launched,
                  45000 + chance(self, 9000), self->correlation, more);
    close_op(self, "nccl:all_reduce", start, "");
}

/* One call, several kernels. */
static void replay_optimizer(struct maker *self)
{
    long long outer = open_frame(self), launched = call(self, "cudaGraphLaunch");
    for (int i = 0; i < 3; i++)
        run_on_device(self, 0, "kernel",
                      "void at::native::multi_tensor_apply_kernel<adam>(float*, float*)", launched,
                      6000 + chance(self, 500), self->correlation, "");
    close_frame(self, "torch/optim/adam.py(213): step", outer);
}

static void mark(struct maker *self, const char *category, const char *name, int process,
                 int thread, long long start, long long end)
{
    add(self, GROUP_OPS, start, SLICE ",\"args\":{\"External id\":%d}}", category, name, process,
        thread, IN_US(start), IN_US(end - start), self->external++);
}

static void flush(struct maker *self);

/* How a step of an engine is called: two prompts of 32 tokens, then four requests of 100 and more.
 */
static void mark_serving(struct maker *self, long long start)
{
    char name[120];
    int keys = 4 * (100 + self->served);
    add(self, GROUP_OPS, start,
        "{\"ph\":\"C\",\"name\":\"waiting requests\",\"pid\":%d,\"ts\":" US
        ",\"args\":{\"value\":%d}}",
        PROCESS, IN_US(start), 8 - self->served % 8);
    if (self->served++ == 0)
        snprintf(name, sizeof name,
                 "execute_64_context_2(sq64sk64sqsq2048sqsk2048)_generation_0(sq0sk0sqsq0sqsk0)");
    else
        snprintf(name, sizeof name,
                 "execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk%dsqsq4sqsk%d)", keys,
                 keys);
    mark(self, "user_annotation", name, PROCESS, MAIN_THREAD, start, self->clock);
}

static void step(struct maker *self, int number, int *sequences)
{
    char name[40];
    snprintf(name, sizeof name, "ProfilerStep#%d", number);
    self->thread = MAIN_THREAD;
    long long start = spend(self, 2000, 1000), device_start = self->stream_free[0];
    long long frame = open_frame(self);
    copy_batch(self);
    long long forward = open_frame(self), marked = self->clock;
    for (int layer = 0; layer < self->layers; layer++)
        forward_layer(self, layer, sequences);
    mark(self, "user_annotation", "forward", PROCESS, MAIN_THREAD, marked, self->clock);
    close_frame(self, "nn.Module: Model_0", forward);

    long long waiting = open_frame(self), main_clock = self->clock;
    self->thread = BACKWARD_THREAD;
    for (int layer = self->layers - 1; layer >= 0; layer--)
        backward_layer(self, sequences, layer);
    reduce_gradients(self);
    long long backward_end = self->clock;
    self->thread = MAIN_THREAD;
    self->clock = backward_end > main_clock ? backward_end : main_clock;
    close_frame(self, "<built-in method run_backward of torch._C._EngineBase object>", waiting);
    replay_optimizer(self);
    close_frame(self, "train.py(52): step", frame);
    spend(self, 1000, 1000);
    if (self->serve)
        mark_serving(self, start);
    mark(self, "user_annotation", name, PROCESS, MAIN_THREAD, start, self->clock);
    mark(self, "gpu_user_annotation", name, DEVICE, STREAM_COMPUTE, device_start + 1000,
         self->stream_free[0]);
    flush(self);
}

/* ------------------------------------------------------------------ the file */

static int compare_lines(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static void flush(struct maker *self)
{
    qsort(self->lines.items, self->lines.count, sizeof *self->lines.items, compare_lines);
    for (size_t i = 0; i < self->lines.count; i++) {
        printf("%s  %s", self->any_written ? ",\n" : "\n", self->lines.items[i].text);
        self->any_written = true;
        memory_free(self->lines.items[i].text);
    }
    self->lines.count = 0;
}

static void write_head(const struct maker *self)
{
    printf(
        "{\n\"schemaVersion\": 1,\n\"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA H100 80GB "
        "HBM3\", \"totalGlobalMem\": 85045280768, \"computeMajor\": 9, \"computeMinor\": 0, "
        "\"maxThreadsPerBlock\": 1024, \"warpSize\": 32, \"numSms\": 132}],\n"
        "\"distributedInfo\": {\"backend\": \"nccl\", \"rank\": %d, \"world_size\": 2},\n"
        "\"record_shapes\": 1,\n\"with_stack\": %d,\n\"environment\": {\"SECRET\": \"not to be "
        "kept\"},\n\"traceEvents\": [",
        self->rank, self->python);
}

static void write_labels(struct maker *self)
{
    static const struct {
        int process, thread;
        const char *name;
    } threads[] = {{PROCESS, MAIN_THREAD, "thread 4000 (python)"},
                   {PROCESS, BACKWARD_THREAD, "thread 4017 (pt_autograd_0)"},
                   {DEVICE, STREAM_COMPUTE, "stream 7"},
                   {DEVICE, STREAM_COLLECTIVE, "stream 20"}};
    static const char label[] = "{\"name\":\"%s\",\"ph\":\"M\",\"ts\":0.000,\"pid\":%d,\"tid\":%d,"
                                "\"args\":{\"%s\":\"%s\"}}";
    add(self, GROUP_DEVICE, 0, label, "process_name", PROCESS, 0, "name", "python");
    add(self, GROUP_DEVICE, 0, label, "process_labels", PROCESS, 0, "labels", "CPU");
    add(self, GROUP_DEVICE, 0, label, "process_name", DEVICE, 0, "name", "python");
    add(self, GROUP_DEVICE, 0, label, "process_labels", DEVICE, 0, "labels", "GPU 0");
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++)
        add(self, GROUP_DEVICE, 0, label, "thread_name", threads[i].process, threads[i].thread,
            "name", threads[i].name);
    flush(self);
}

static bool read_options(struct maker *self, int count, char **words)
{
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--no-python") == 0) {
            self->python = false;
            continue;
        }
        if (strcmp(words[i], "--serve") == 0) {
            self->serve = true;
            continue;
        }
        if (i + 1 == count)
            return false;
        int value = atoi(words[i + 1]);
        if (strcmp(words[i], "--steps") == 0)
            self->steps = value;
        else if (strcmp(words[i], "--layers") == 0)
            self->layers = value;
        else if (strcmp(words[i], "--rank") == 0)
            self->rank = value;
        else if (strcmp(words[i], "--seed") == 0)
            self->random = (unsigned long long)value;
        else
            return false;
        i++;
    }
    return self->steps > 0 && self->layers > 0;
}

int main(int count, char **words)
{
    struct maker self = {.steps = 2, .layers = 4, .python = true, .clock = 1700000000000000ll};
    if (!read_options(&self, count, words)) {
        fprintf(stderr, "usage: make_trace [--steps N] [--layers N] [--rank N] [--seed N] "
                        "[--no-python] [--serve] > TRACE.json\n");
        return 2;
    }
    int *sequences = memory_zeroed((size_t)self.layers, sizeof *sequences);
    write_head(&self);
    write_labels(&self);
    self.stream_free[0] = self.stream_free[1] = self.clock - 90000;
    add(&self, GROUP_DEVICE, self.stream_free[0],
        SLICE ",\"args\":{\"device\":%d,\"stream\":%d,\"correlation\":%d}}", "kernel",
        "warm_up_kernel", DEVICE, STREAM_COMPUTE, IN_US(self.stream_free[0]), IN_US(7000ll), DEVICE,
        STREAM_COMPUTE, 1000000);
    self.stream_free[0] += 7000;
    for (int i = 0; i < self.steps; i++)
        step(&self, i + 1, sequences);
    printf("\n],\n\"traceName\": \"train.json\",\n\"displayTimeUnit\": \"ms\",\n"
           "\"baseTimeNanoseconds\": 1750000000000000000\n}\n");
    memory_free(sequences);
    array_free(&self.lines);
    return ferror(stdout) || fflush(stdout) ? 4 : 0;
}
