/* main: runs the tests of a room.
 *
 *     unit_ROOM                       all groups
 *     unit_ROOM GROUP [TEST...]       one group, or some of its tests in this order
 */
#include "tests/unit/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct test_group *groups, **end = &groups;

void group_add(struct test_group *group)
{
    *end = group;
    end = &group->next;
}

static int run_group(const struct test_group *self, char **names, size_t name_count)
{
    struct CMUnitTest *chosen = memory_zeroed(name_count + 1, sizeof *chosen);
    for (size_t i = 0; i < name_count; i++) {
        size_t k = 0;
        while (k < self->count && strcmp(self->tests[k].name, names[i]) != 0)
            k++;
        if (k == self->count) {
            fprintf(stderr, "%s has no test %s\n", self->name, names[i]);
            memory_free(chosen);
            return 1;
        }
        chosen[i] = self->tests[k];
    }
    int failed =
        _cmocka_run_group_tests(self->name, name_count ? chosen : self->tests,
                                name_count ? name_count : self->count, self->setup, self->teardown);
    memory_free(chosen);
    scratch_remove();
    return failed;
}

int main(int count, char **words)
{
    struct error error = {0};
    struct memory memory = {0};
    int failed = 0, groups_run = 0;
    memory_enter(&memory); /* as a verb has one */
    if (!warehouse_start(&error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    for (const struct test_group *group = groups; group; group = group->next)
        if (count < 2 || strcmp(words[1], group->name) == 0) {
            failed += run_group(group, words + 2, count < 2 ? 0 : (size_t)count - 2);
            groups_run++;
        }
    if (!groups_run)
        fprintf(stderr, "%s has no group %s\n", words[0], count < 2 ? "" : words[1]);
    memory_end(&memory);
    return failed || !groups_run;
}
