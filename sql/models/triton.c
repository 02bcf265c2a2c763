/* triton: see triton.h.
 *
 * Names of ops contain underscores, so where one ends is not certain. Of all ways to divide the
 * name into ops that exist, the one is taken that has the longest op at its end, then the longest
 * before that, and so on.
 */
#include "sql/models/triton.h"

#include <stdlib.h>

enum { PARTS_MAX = 256 }; /* words in a name; longer ones are cut off by the compiler, too */

static int compare(const void *left, const void *right)
{
    const struct view *name = left;
    const char *other = *(const char *const *)right;
    int order = strncmp(name->bytes, other, name->length);
    return order ? order : -(other[name->length] != '\0');
}

static bool is_op(struct view name)
{
    return bsearch(&name, aten_names, (size_t)aten_name_count, sizeof *aten_names, compare);
}

/* The middle of triton_<kind>_fused_<ops>_<number>; empty when the name is not like that. */
static struct view fused_part(const char *kernel)
{
    static const char *const kinds[] = {"triton_poi_fused_", "triton_red_fused_",
                                        "triton_per_fused_"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t prefix = strlen(kinds[i]);
        if (strncmp(kernel, kinds[i], prefix) != 0)
            continue;
        const char *first = kernel + prefix, *last = strrchr(first, '_');
        if (!last || last == first || !last[1] || last[1 + strspn(last + 1, "0123456789")])
            break;
        return (struct view){first, (size_t)(last - first)};
    }
    return (struct view){"", 0};
}

/* Where the words of `text` begin; the number of them. */
static int split(struct view text, size_t starts[PARTS_MAX + 1])
{
    int count = 0;
    starts[count++] = 0;
    for (size_t i = 0; i < text.length && count < PARTS_MAX; i++)
        if (text.bytes[i] == '_')
            starts[count++] = i + 1;
    starts[count] = text.length + 1;
    return count;
}

/* The ops in order; 0 when the name cannot be divided. */
static int divide(struct view text, struct view ops[PARTS_MAX])
{
    size_t starts[PARTS_MAX + 1];
    int from[PARTS_MAX + 1]; /* where the op begins that ends before this word; -1 = none does */
    int count = split(text, starts), found = 0;
    from[0] = 0;
    for (int end = 1; end <= count; end++) {
        from[end] = -1;
        for (int begin = 0; begin < end && from[end] < 0; begin++) {
            struct view op = {text.bytes + starts[begin], starts[end] - 1 - starts[begin]};
            if (from[begin] >= 0 && is_op(op))
                from[end] = begin;
        }
    }
    if (from[count] < 0)
        return 0;
    for (int end = count; end > 0; end = from[end])
        ops[found++] =
            (struct view){text.bytes + starts[from[end]], starts[end] - 1 - starts[from[end]]};
    for (int i = 0; i < found / 2; i++) {
        struct view other = ops[i];
        ops[i] = ops[found - 1 - i];
        ops[found - 1 - i] = other;
    }
    return found;
}

static int ops_of(const char *kernel, struct view ops[PARTS_MAX])
{
    struct view text = fused_part(kernel);
    return text.length ? divide(text, ops) : 0;
}

bool triton_ops(const char *kernel, struct text *out)
{
    struct view ops[PARTS_MAX];
    int count = ops_of(kernel, ops);
    for (int i = 0; i < count; i++)
        if (!text_format(out, "%saten.%.*s", i ? ", " : "", (int)ops[i].length, ops[i].bytes))
            return false;
    return text_add(out, "", 0);
}

static double cost_of(struct view op)
{
    static const struct {
        double cost;
        const char *ops;
    } costs[] = {
        {1, " add sub mul div relu mean sum abs neg ne eq lt gt "},
        {2, " pow sqrt rsqrt var reciprocal "},
        {4, " exp log sigmoid tanh silu "},
        {8, " gelu "},
    };
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
        for (const char *at = costs[i].ops + 1; *at; at += strcspn(at, " ") + 1)
            if (view_equal(op, (struct view){at, strcspn(at, " ")}))
                return costs[i].cost;
    return 0;
}

double triton_cost(const char *kernel)
{
    struct view ops[PARTS_MAX];
    int count = ops_of(kernel, ops);
    double cost = 0;
    for (int i = 0; i < count; i++)
        cost += cost_of(ops[i]);
    return cost;
}
