/* image: an empty warehouse as bytes, made when the program is built (image_tool.c).
 *
 * Making schema, catalog and views from SQL text costs ten milliseconds; copying them costs none.
 */
#ifndef TPQ_SQL_IMAGE_H
#define TPQ_SQL_IMAGE_H

extern const unsigned char image_bytes[];
extern const unsigned long image_size;

#endif
