/* pages: rows read from and written into pages of SQLite files without SQLite.
 *
 * It pays where millions of rows are read or written: a merge takes 40 % less time, the ingest of
 * an nsys export 22 %, reports on launches and the critical path 35 %. All that knows the format
 * stands in this folder: page.h (numbers and cells), table_scan (reads any table of an input),
 * row_pages (reads tables of integers of an open warehouse), row_image (writes rows in bulk).
 *
 * What is relied upon: the documented format (https://www.sqlite.org/fileformat2.html), a read
 * transaction that keeps other writers out, and files without a write-ahead log. Files may be
 * strangers': each length and place is checked before it is used. A file with a log, a table of
 * another shape, a text that is not UTF-8 or a row image of other pages than expected goes through
 * SQLite, with the same rows; `-v` of report and merge names a file with a log.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    FILE_HEADER = 100, /* in front of the first page */
    PAGE_BYTES_AT = 16,
    FORMAT_AT = 19, /* FORMAT_LOG: changes stand in a log beside the file */
    FORMAT_LOG = 2,
    RESERVED_AT = 20, /* bytes at the end of every page that are not used */
    PAGE_INNER = 5,   /* kinds of pages of a table, and their headers */
    PAGE_LEAF = 13,
    PAGE_INNER_HEADER = 12,
    PAGE_LEAF_HEADER = 8,
    PAGE_CELLS_AT = 3,
    PAGE_LAST_AT = 8, /* in an inner page: the page of the greatest rows */
    DEPTH_MAX = 20,   /* as in SQLite */
};

/* The greatest byte stands first. */
static inline uint64_t page_number(const unsigned char *bytes, size_t count)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

/* The same of eight bytes, at once. */
static inline uint64_t page_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* Seven bits a byte, the last one of nine has eight. Gives where it ends; NULL: not before `end`,
 * or `at` is NULL. */
static inline const unsigned char *page_varint(const unsigned char *at, const unsigned char *end,
                                               uint64_t *value)
{
    uint64_t sum = 0;
    if (at && at < end && *at < 0x80) {
        *value = *at;
        return at + 1;
    }
    for (int i = 0; i < 9 && at && at < end; i++) {
        unsigned char byte = *at++;
        sum = i == 8 ? sum << 8 | byte : sum << 7 | (byte & 0x7Fu);
        if (i == 8 || byte < 0x80) {
            *value = sum;
            return at;
        }
    }
    return NULL;
}

/* From the header of a file; what it cannot be is taken for the least. */
static inline size_t page_bytes(const unsigned char *header)
{
    enum { LEAST = 512, MOST = 65536 }; /* which is written as 1 */
    size_t bytes = (size_t)page_number(header + PAGE_BYTES_AT, 2);
    bytes = bytes == 1 ? MOST : bytes;
    return bytes < LEAST || (bytes & (bytes - 1)) ? LEAST : bytes;
}

/* A cell of the list of `count` that begins `list` bytes behind the start; NULL: not on the page.
 */
static inline const unsigned char *page_cell(const unsigned char *page, size_t usable, size_t list,
                                             size_t count, size_t index)
{
    size_t place = list + 2 * index;
    if (place + 2 > usable)
        return NULL;
    size_t at = (size_t)page_number(page + place, 2);
    return at >= list + 2 * count && at < usable ? page + at : NULL;
}
