/* image: an empty warehouse as bytes, made when the program is built (image_tool.c).
 *
 * Making schema and catalog from SQL text costs ten milliseconds; copying them costs none. Views
 * are not in it: SQLite would parse them when it opens the copy. Whoever fills the copy writes them
 * in the end (views_save).
 */
#pragma once

extern const unsigned char image_bytes[];
extern const unsigned long image_size;
