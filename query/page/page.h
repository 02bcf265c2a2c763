/* page: a page for a browser, in one file, that loads nothing: its sheets, and what it asks the
 * warehouse for beside them. Its maker is sink_page, a row of query/sink/forms.h.
 *
 *     page.c        takes sheets, makes the others, writes the file
 *     overview.c    what is shown first, as HTML
 *     about.c       what it is about and leaves out, and its keys, as HTML
 *     sheet_text.c  a sheet as the program of the page reads it
 *     tracks.c      all slices that are selected, as columns
 *     snapshot.c    memory snapshots over their events
 *     blocks.c      data in pieces, packed by pack.c
 *     *.js, *.css   the program and its style, one file a view
 */
#pragma once

#include "sql/docs.h"
#include "sql/warehouse/warehouse.h"

#include <stdint.h>

/* The views of a page, in the order of their tabs. */
#define PAGE_VIEWS "overview timeline flame memory roofline ranks compare history tables"

struct abstentions; /* query/report/abstain.h */

struct page_source {
    struct warehouse *warehouse; /* what is selected there is on the page; NULL: only the sheets */
    const doc_list *docs;        /* reports from which those of its views are; NULL: none */
    const char *set;             /* that they belong to; may be NULL */
    const char *base;            /* the run that the other one is held against; NULL: none is */
    size_t runs, runs_of;        /* only the first runs of so many are selected; 0: all are */
    const char *views;           /* that are wanted, with commas between; NULL = all */
    int64_t limit;               /* bytes of the file; 0 = any */
    const struct abstentions *abstentions; /* of the reports that it makes; NULL: none */
    bool compat;                           /* the sheets are */
    bool is_parted;                        /* each sheet has what is selected part by part */
};

enum { PAGE_LIMIT = 16000000, PAGE_LIMIT_LEAST = 512000 };
