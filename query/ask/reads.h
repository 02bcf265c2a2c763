/* reads: what a statement of a user reads, as authorizers see it while it is prepared. */
#pragma once

/* The statement that is prepared reads a table, by itself or in a view. */
void reads_note(const char *table, const char *view);

/* A sentence where the statement reads runs without `scope`, else NULL; the next one begins anew.
 */
const char *reads_unselected(void);
