/* guides: see guides.h. */
#include "src/command/guides.h"

#include <stddef.h>
#include <string.h>

extern const char guide_python[], guide_ci[], guide_cluster[], guide_serving[], guide_trust[],
    guide_words[], guide_extensions[];

const char *guide_text(const char *name)
{
    const struct {
        const char *name, *text;
    } guides[] = {{"python", guide_python},        {"ci", guide_ci},
                  {"cluster", guide_cluster},      {"serving", guide_serving},
                  {"trust", guide_trust},          {"words", guide_words},
                  {"extensions", guide_extensions}};
    for (size_t i = 0; i < sizeof guides / sizeof *guides; i++)
        if (strcmp(guides[i].name, name) == 0)
            return guides[i].text;
    return NULL;
}
