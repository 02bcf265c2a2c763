/* guides: what `tpq help NAME` has beside verbs: texts with calls to start from, a file each in
 * src/command/guides. Tests run what stands in them. */
#pragma once

/* The text of one; NULL where there is none of that name. */
const char *guide_text(const char *name);
