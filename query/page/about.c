/* about: what a page says of itself, as HTML: the inputs that it is about, what it leaves out, and
 * the keys that it listens to. */
#include "query/page/about.sql.h"
#include "query/page/page_parts.h"

/* How large a file is, as SQL. */
#define SIZE(BYTES)                                                           \
    "CASE WHEN " BYTES " >= 1000000 THEN printf('%.1f MB', " BYTES " / 1e6) " \
    "ELSE printf('%.1f kB', " BYTES " / 1e3) END"

enum { FIGURES = 3 }; /* columns on the right, from the first on */

/* Texts of SQLite, in the order of the columns. */
static const char inputs[] = "SELECT trace.rank, " SIZE(
    "trace.file_bytes") ", printf('%,d', trace.last_event - trace.first_event + 1), run.name,"
                        " replace(trace.path, rtrim(trace.path, replace(trace.path, '/', '')), "
                        "''), trace.format,"
                        " strftime('%Y-%m-%d %H:%M:%SZ', trace.wall_start_ns / 1000000000, "
                        "'unixepoch') "
                        "FROM trace JOIN run ON run.id = trace.run_id "
                        "WHERE trace.id IN (SELECT trace_id FROM scope) ORDER BY run.name, "
                        "trace.rank, trace.id";

/* Appends the one text that a statement answers, if it does. */
static bool add_answer(struct warehouse *warehouse, const char *sql, const char *before,
                       struct text *out, struct error *error)
{
    struct text words = {0};
    bool done = !warehouse || page_ask(warehouse, sql, 0, &words, error);
    if (words.count)
        text_add_string(out, before);
    page_add_html(out, text_view(&words));
    return done;
}

bool about_add_files(struct warehouse *warehouse, struct text *out, struct error *error)
{
    static const char sql[] =
        "WITH file AS (SELECT path, content_hash, max(file_bytes) AS file_bytes, "
        "sum(last_event - first_event + 1) AS events, min(wall_start_ns) AS wall_start_ns FROM "
        "trace WHERE id IN (SELECT trace_id FROM scope) GROUP BY path, content_hash) "
        "SELECT CASE count(*) WHEN 0 THEN NULL WHEN 1 THEN"
        " max(replace(path, rtrim(path, replace(path, '/', '')), '')) "
        "ELSE printf('%,d files', count(*)) END || ' · ' || " SIZE(
            "sum(file_bytes)") " || ' · ' ||"
                               " printf('%,d events', sum(events)) ||"
                               " coalesce(strftime(' · %Y-%m-%d %H:%MZ', min(wall_start_ns) / "
                               "1000000000, 'unixepoch'), '')"
                               " || ' · ' FROM file";
    return add_answer(warehouse, sql, "", out, error);
}

/* Software, parallelism and dtypes of one run, as a line; several runs have a report of them. */
bool about_add_setup(struct warehouse *warehouse, struct text *out, struct error *error)
{
    return add_answer(warehouse, setup_of_one_run, "<br>", out, error);
}

bool about_add_html(struct warehouse *warehouse, bool compat, const struct text *not_included,
                    struct text *out, struct error *error)
{
    static const char *const sheets[] = {"", ", sheets as --compat has them"};
    static const char head[] = "<div class=\"scroll\"><table><thead><tr>"
                               "<th scope=\"col\" class=\"n\">rank</th>"
                               "<th scope=\"col\" class=\"n\">size</th>"
                               "<th scope=\"col\" class=\"n\">events</th>"
                               "<th scope=\"col\">run</th><th scope=\"col\">file</th>"
                               "<th scope=\"col\">format</th><th scope=\"col\">start</th>"
                               "</tr></thead><tbody>\n";
    text_add_string(out, "<section><h2>About this page</h2>\n");
    bool any, done = true;
    if (warehouse) {
        text_add_string(out, head);
        done = page_add_rows(warehouse, inputs, FIGURES, "", &any, out, error);
        text_add_string(out, "</tbody></table></div>\n");
    }
    text_add_text(out, not_included);
    text_format(out,
                "<p class=\"faint\">tpq " TPQ_VERSION
                "%s. Everything is in this file: nothing is loaded, and nothing leaves it.</p>"
                "</section>\n",
                sheets[compat]);
    return done;
}

void about_add_keys(struct text *out)
{
    static const char *const keys[][2] = {
        {"1 to 9", "views"},
        {"/", "find"},
        {"?", "this list"},
        {"w s", "timeline: zoom in, out"},
        {"a d", "move"},
        {"arrows", "next slice, lane, node or row"},
        {", .", "previous, next of the same name"},
        {"g", "what launched it, or what it launched"},
        {"f", "fit the selection"},
        {"[ ]", "GPU activity before, behind the window"},
        {"0", "all"},
        {"m", "mark the range of the selection"},
        {"p", "Python frames"},
        {"z", "squeeze gaps without GPU activity, ops and calls"},
        {"F", "all launches that are seen"},
        {"t", "roofline: the first call on the timeline"},
        {"l", "flame: fold equal layers"},
        {"Enter", "open"},
        {"Esc", "back out"},
    };
    text_add_string(out, "<div id=\"help\" role=\"dialog\" aria-label=\"Keys\" "
                         "tabindex=\"-1\" hidden><h2>Keys</h2><dl>\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        text_format(out, "<dt>%s</dt><dd>%s</dd>\n", keys[i][0], keys[i][1]);
    text_add_string(out, "</dl></div>\n");
}
