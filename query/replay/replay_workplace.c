/* replay_workplace: see replay_workplace.h. */
#include "query/replay/replay_workplace.h"

#include "query/replay/replay_results.h"
#include "src/base/file.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *workplace_make(struct error *error)
{
    const char *parent = getenv("TMPDIR");
    struct text path = {0};
    if (!text_format(&path, "%s/tpq-replay-XXXXXX", parent && *parent == '/' ? parent : "/tmp")) {
        error_memory(error);
    } else if (!mkdtemp(path.items)) {
        error_set(error, STATUS_DATABASE, "%s: cannot be made a folder: %s", path.items,
                  strerror(errno));
    } else {
        return path.items;
    }
    text_free(&path);
    return NULL;
}

bool workplace_give(const char *workplace, const char *name, const char *folder,
                    struct error *error)
{
    struct text from = {0}, to = {0};
    bool done =
        (text_format(&from, "%s/%s", workplace, name) && text_format(&to, "%s/%s", folder, name)) ||
        error_memory(error);
    char *content = done ? replay_read_file(workplace, name) : NULL;
    if (content)
        done = file_write(to.items, view_of(content), error);
    else if (done && access(from.items, F_OK) == 0)
        done = error_set(error, STATUS_DATABASE, "%s: cannot be read", from.items);
    else if (done)
        unlink(to.items);
    if (done)
        unlink(from.items);
    free(content);
    text_free(&from);
    text_free(&to);
    return done;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
    (void)status, (void)type, (void)place;
    remove(path);
    return 0;
}

void workplace_remove(char *workplace)
{
    if (workplace)
        nftw(workplace, remove_one, 8, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    free(workplace);
}
