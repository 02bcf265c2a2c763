/* bind_kernel: SQL's way to the short names of kernels, and to numbers as sentences have them.
 *
 *     kernel_short_name(text)    the part of a kernel's name by which people know it
 *     kernel_base_name(text)     its last identifier as it stands, as Nsight Systems has it
 *     with_commas(number)        a number with one decimal and commas between thousands
 *     time_words(ns)             a time of a sentence: 1,078.3 ms, 12.0 us, 10 ns
 *
 *     SELECT kernel_short_name('void cub::Scan_kernel<int>(int*)')         -> Scan
 *     SELECT kernel_short_name('void cutlass::Kernel2<s1688gemm>(int)')    -> s1688gemm
 *
 * NULL gives NULL. A text that is no declaration stays, and is cut like the others.
 */
#include "sql/binding/function.h"
#include "sql/database.h"
#include "sql/functions/kernel_name.h"

#include <string.h>

static SQL_FUNCTION(kernel_short_name)
{
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    struct view name = {text, (size_t)sqlite3_value_bytes(arguments[0])};
    struct text out = {0};
    if (text && kernel_name_add_short(&out, name))
        sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    else
        sqlite3_result_error_nomem(context);
    text_free(&out);
}

static SQL_FUNCTION(kernel_base_name)
{
    const char *text = (const char *)sqlite3_value_text(arguments[0]);
    struct view base = {text, (size_t)sqlite3_value_bytes(arguments[0])};
    if (text) {
        base = kernel_name_base(base);
        sqlite3_result_text(context, base.bytes, (int)base.length, SQLITE_TRANSIENT);
    } else if (sqlite3_value_type(arguments[0]) != SQLITE_NULL)
        sqlite3_result_error_nomem(context);
}

/* Gives a number with commas between thousands, and its unit. */
static void give_number(sqlite3_context *context, const char *format, double number,
                        const char *unit)
{
    struct text out = {0};
    char *plain = database_format(format, number);
    size_t whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i]; i++) {
        bool is_new = i > 0 && i < whole && (whole - i) % 3 == 0 && plain[i - 1] != '-';
        text_format(&out, "%s%c", is_new ? "," : "", plain[i]);
    }
    text_add_string(&out, unit);
    sqlite3_result_text(context, out.items, (int)out.count, SQLITE_TRANSIENT);
    memory_free(plain);
    text_free(&out);
}

static SQL_FUNCTION(with_commas)
{
    if (sqlite3_value_type(arguments[0]) != SQLITE_NULL)
        give_number(context, "%.1f", sqlite3_value_double(arguments[0]), "");
}

/* Times that would be 0.0 ms take a smaller unit. */
static SQL_FUNCTION(time_words)
{
    double time = sqlite3_value_double(arguments[0]), size = time < 0 ? -time : time;
    if (sqlite3_value_type(arguments[0]) == SQLITE_NULL)
        return;
    if (size >= 50000)
        give_number(context, "%.1f", time / 1e6, " ms");
    else if (size >= 1000)
        give_number(context, "%.1f", time / 1e3, " us");
    else
        give_number(context, "%.0f", time, " ns");
}

const struct function kernel_name_functions[] = {
    SCALAR("kernel_short_name", "text", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
           kernel_short_name,
           "A kernel's name as people say it: the last identifier outside of templates and "
           "arguments, without namespaces and _kernel at its end; where that is Kernel, Kernel2 or "
           "kernel, the one of the first template argument. At most 40 characters; what is longer "
           "ends in an ellipsis. Different kernels may share one. NULL gives NULL."),
    SCALAR("kernel_base_name", "text", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, kernel_base_name,
           "The base name of a kernel, as nsys stats shows it with :base: the last identifier "
           "outside of templates and arguments. A text that is no declaration stays. NULL gives "
           "NULL."),
    SCALAR("with_commas", "number", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, with_commas,
           "A number with one decimal and commas between thousands, as tables show it. NULL gives "
           "NULL."),
    SCALAR("time_words", "ns", 1, SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, time_words,
           "A time in ns as sentences have it, with its unit: 1,078.3 ms; below 0.05 ms in us or "
           "ns. NULL gives NULL."),
    {0},
};
