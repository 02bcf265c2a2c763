/* fuzz_annotations: annotations of graph nodes, as JSON or as a pickle. The first byte tells
 * whether they are compressed. */
#include "tests/fuzz/kept.h"
#include "tests/fuzz/piece.h"

#include "ingest/graph_notes.h"

FUZZ_TARGET(annotations)
{
    struct piece piece;
    struct text json = {0};
    struct error error = {0};
    if (!kept_warehouse() || !length) /* the first one makes SQLite ready */
        return 0;
    if (bytes[0] & 1)
        piece_open_gzip(&piece, bytes + 1, length - 1, 7);
    else
        piece_open(&piece, bytes + 1, length - 1);
    bool done =
        graph_notes_read((const char *const[]){piece.path, piece.path, NULL}, &json, &error);
    kept_must_be_said(done, &error);
    if (done) {
        context_set(kept_warehouse()->context, "graph-annotations", json.items);
        MUST(kept_ask("SELECT count(*) FROM json_each(tpq_option('graph-annotations')) AS file, "
                      "json_each(arg(file.value, 'notes')) AS note WHERE instr(note.value, "
                      "char(10)) = 0 OR ltrim(note.key, '0123456789') <> '' OR length(note.key) "
                      "NOT BETWEEN 1 AND 20") == 0);
    }
    text_free(&json);
    piece_close(&piece);
    return 0;
}
