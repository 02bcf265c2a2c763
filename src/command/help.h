/* help: everything that is printed from the option tables. `verbs` is a list ended by NULL. */
#pragma once

#include "src/command/session.h"

#include <stdio.h>

void help_overview(const struct verb *const *verbs, FILE *out);
void help_verb(const struct verb *verb, FILE *out);
void help_stand_in(const struct verb *verb, const struct stand_in *command, FILE *out);

/* Made at build time and installed. */
void help_manual(const struct verb *const *verbs, FILE *out);
void help_bash(const struct verb *const *verbs, FILE *out);
void help_zsh(const struct verb *const *verbs, FILE *out);
void help_fish(const struct verb *const *verbs, FILE *out);
