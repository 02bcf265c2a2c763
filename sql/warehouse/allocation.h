/* allocation: whether SQLite's memory ran out, or whether it only says so.
 *
 * Of a row that claims an absurd size SQLite says that memory is out, too, without having asked for
 * any. In a stranger's file that is damage.
 */
#pragma once

#include <stdbool.h>

/* Has what SQLite asks for watched. Comes before SQLite is started; a result code of it. */
int allocation_watch(void);

/* Whether SQLite has asked in vain in this thread. True where nobody watches. */
bool allocation_failed(void);
