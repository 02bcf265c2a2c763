/* library: functions of a shared library that is loaded only when somebody asks for what it does.
 *
 *     void *library = dlopen("libm.so.6", RTLD_LAZY | RTLD_LOCAL);
 *     library_find(library, "cos", &functions.cos)
 */
#pragma once

#include <dlfcn.h>
#include <stdbool.h>

/* ISO C has no cast from the pointer that dlsym returns to one to a function. */
static inline bool library_find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function;
}
