/* help_tool: a build tool that writes the manual page and the completions.
 *
 *     help_tool manual|bash|zsh|fish
 */
#include "src/command/help.h"
#include "src/verbs/verbs.h"

#include <string.h>

int main(int count, char **arguments)
{
    static const struct {
        const char *name;
        void (*print)(const struct verb *const *verbs, FILE *out);
    } forms[] = {
        {"manual", help_manual}, {"bash", help_bash}, {"zsh", help_zsh}, {"fish", help_fish}};
    for (size_t i = 0; count == 2 && i < sizeof forms / sizeof *forms; i++)
        if (strcmp(arguments[1], forms[i].name) == 0) {
            forms[i].print(verbs, stdout);
            return ferror(stdout) || fflush(stdout) ? 1 : 0;
        }
    return 2;
}
