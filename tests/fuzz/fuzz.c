/* fuzz: the targets for libFuzzer. FUZZ_TARGET=NAME in the environment chooses one; without it
 * their names are printed. */
#include "tests/fuzz/piece.h"

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static const struct target *target;

int LLVMFuzzerInitialize(int *count, char ***words)
{
    (void)count, (void)words;
    const char *name = getenv("FUZZ_TARGET");
    for (const struct target *each = name ? NULL : targets; each; each = each->next)
        puts(each->name);
    target = name ? target_find(name) : NULL;
    if (!target)
        exit(name ? 2 : 0);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    return target->run(bytes, length);
}
