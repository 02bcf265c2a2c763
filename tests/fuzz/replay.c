/* replay: runs a fuzz target on files, without libFuzzer.
 *
 *     replay TARGET PATH...        files, and all files of directories
 *
 * What once was a crash, and what the fuzzer starts from, is thus part of every test run.
 */
#include "tests/fuzz/piece.h"

#include <fts.h>
#include <string.h>

static int compare(const FTSENT **left, const FTSENT **right)
{
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

static void replay(const struct target *target, const char *path)
{
    struct text bytes = {0};
    piece_slurp(path, &bytes);
    fprintf(stderr, "%s\n", path);
    /* a block of just that size, so that reading past it is seen */
    uint8_t *exact = memory_take(bytes.count ? bytes.count : 1);
    MUST(exact);
    if (bytes.count)
        memcpy(exact, bytes.items, bytes.count);
    target->run(exact, bytes.count);
    memory_free(exact);
    text_free(&bytes);
}

int main(int count, char **words)
{
    size_t files = 0;
    const struct target *target = target_find(count > 1 ? words[1] : "");
    FTS *walk = target ? fts_open(words + 2, FTS_LOGICAL | FTS_NOCHDIR, compare) : NULL;
    if (!walk)
        return 2;
    for (FTSENT *entry; (entry = fts_read(walk));)
        if (entry->fts_info == FTS_F) {
            replay(target, entry->fts_path);
            files++;
        }
    fts_close(walk);
    fprintf(stderr, "%zu files\n", files);
    return files ? 0 : 1;
}
