/* Files of PyTorch traces: their shapes, their metadata, what is no trace, and what is left of one
 * that breaks off. What becomes of single events is in test_kineto_event.c. */
#include "tests/unit/reading.h"

/* ------------------------------------------------------------------ the file */

static void assert_three_slices(const struct trace *trace)
{
    assert_int_equal(trace->events, 3);
    assert_int_equal(trace->slices.count, 3);
    for (uint32_t uid = 0; uid < 3; uid++) {
        const struct slice *slice = &trace->slices.items[uid];
        assert_int_equal(slice->uid, uid);
        assert_name(trace, uid, uid == 0 ? "a" : uid == 1 ? "b" : "c");
        assert_int_equal(slice->start, 1000 + uid);
        assert_int_equal(slice->duration, 500 * uid + 1);
        assert_int_equal(slice->category, CATEGORY_OP);
        assert_place(trace, slice->place, "1", "'t'");
        assert_arguments(trace, uid, uid == 1 ? "{'k':[1,{}]}" : NULL);
    }
    assert_nothing_noted(trace);
}

/* Objects and bare lists, with every kind of white space (where a '~' is) and a mark in front. */
static void a_trace_is_an_object_or_a_list(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "~[~%s~]~",
        "~{~'traceEvents'~:~[~%s~]~}~",
        "~{~'schemaVersion'~:~1~,~'traceEvents'~:~[~%s~]~,~'trace_id'~:~'x'~}~",
    };
    static const char events[] =
        "{~'ph'~:~'X'~,~'cat':'cpu_op'~,~'name':'a'~,~'pid':1,'tid':'t'~,~'ts':1.000~,~"
        "'dur':~0.001~}~,~{'ph':'X','cat':'cpu_op','name':'b','pid':1,'tid':'t',~'ts':1.001,"
        "'dur':0.501,'args'~:~{~'k'~:~[1,~{}]~}~}~,~{'args':{~},'ph':'X','cat':'cpu_op',"
        "'name':'c','pid':1,'tid':'t','ts':1.002,'dur':1.001~}";
    static const char *const spaces[] = {"", " ", "\n", "\r\n", "\t", "\n        ", " \r\n\t "};
    for (size_t i = 0; i < 3 * sizeof spaces / sizeof *spaces; i++)
        for (int mark = 0; mark < 2; mark++) {
            struct text form = {0}, text = {0};
            struct trace trace;
            text_add_string(&form, mark ? "\xEF\xBB\xBF" : "");
            text_format(&form, forms[i % 3], events);
            for (const char *at = form.items; *at; at++)
                if (*at == '~')
                    text_add_string(&text, spaces[i / 3]);
                else
                    text_add_byte(&text, *at);
            read_trace(&trace, text.items);
            assert_three_slices(&trace);
            trace_free(&trace);
            text_free(&form);
            text_free(&text);
        }
}

static void an_event_list_may_come_twice(void **state)
{
    (void)state;
    struct trace trace;
    read_trace(&trace,
               "{'traceEvents':[" SLICE "," SLICE "],'trace_id':'x','traceEvents':[" SLICE "]}");
    assert_int_equal(trace.slices.count, 1);
    assert_int_equal(trace.events, 1);
    assert_int_equal(slice_of(&trace, 0)->start, 10000);
    assert_noted(&trace, NOTE_DUPLICATE_KEY, 1);
    trace_free(&trace);
}

static void what_is_no_trace_is_foreign(void **state)
{
    (void)state;
    static const char
        no_list[] = "not a trace: it has no list \"traceEvents\"",
        no_events[] = "not a trace: the list holds no trace events",
        no_json[] = "not a trace: no known format begins at byte 0 (PyTorch memory snapshot, "
                    "Perfetto trace, XLA xplane.pb, "
                    "rocprofv3 JSON, "
                    "PyTorch/Chrome JSON, Nsight Systems SQLite, rocpd database, tt-metal op CSV)";
    static const char *const cases[][2] = {
        {"{}", no_list},
        {"{'schemaVersion':1}", no_list},
        {"{'traceEvents':null}", no_list},
        {"{'traceEvents':{'a':[]}}", no_list},
        {"{'traceevents':[]}", no_list},
        {"{'a':{'traceEvents':[" SLICE "]}}", no_list},
        {"[]", no_events},
        {"[1,2,3]", no_events},
        {"[[" SLICE "]]", no_events},
        {"[{}]", no_events},
        {"[{'name':'x','value':1},{'name':'y'}]", no_events},
        {"hello", no_json},
        {"'text'", no_json},
        {"5", no_json},
        {"<html>[]</html>", no_json},
        {"   ", no_json},
        {"\xEF\xBB\xBF", no_json},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_refused(cases[i][0], &usual, cases[i][1], true);
        assert_refused(cases[i][0], &salvage, cases[i][1], true);
    }
    assert_refused("", &usual, "the file is empty", false);
}

/* An empty list under its name was meant to be a trace. */
static void a_trace_may_be_empty(void **state)
{
    (void)state;
    struct trace trace;
    read_trace(&trace, "{'traceEvents':[],'schemaVersion':1}");
    assert_int_equal(trace.events, 0);
    assert_int_equal(trace.slices.count, 0);
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void nothing_may_follow_a_trace(void **state)
{
    (void)state;
    static const char *const texts[] = {"[" SLICE "]", "{'traceEvents':[" SLICE "]}"};
    static const char *const garbage[] = {"x", "]", "}", ",", "[]", " \n{", "'", "0", "\x01"};
    for (size_t i = 0; i < 2 * sizeof garbage / sizeof *garbage; i++) {
        struct text text = {0};
        char sentence[128];
        text_format(&text, "%s%s", texts[i % 2], garbage[i / 2]);
        snprintf(sentence, sizeof sentence, "something follows the end of the trace at byte %zu",
                 strlen(texts[i % 2]) + strspn(garbage[i / 2], " \n"));
        assert_refused(text.items, &usual, sentence, false);
        assert_refused(text.items, &salvage, sentence, false);
        text_free(&text);
    }
    struct trace trace;
    struct error error;
    char *json = json_of("[" SLICE "]");
    assert_false(read_bytes(&trace, json, strlen(json) + 1, &usual, &error)); /* with its zero */
    assert_non_null(strstr(error.text, "something follows the end of the trace"));
    trace_free(&trace);
    memory_free(json);
}

/* ------------------------------------------------------------------ metadata */

static void metadata_may_stand_anywhere(void **state)
{
    (void)state;
    static const char *const members[] = {
        "'traceEvents':[" SLICE "]",
        ("'deviceProperties':[{'id':0,'name':'H100','totalGlobalMem':85000000000,"
         "'computeMajor':9,'computeMinor':0,'numSms':132},{'name':'\\u0041MD','id':1}]"),
        "'distributedInfo':{'backend':'nccl','rank':3,'world_size':16}",
        "'schemaVersion': 1,'baseTimeNanoseconds':1720000000000000000",
    };
    for (int order = 0; order < 4; order++) {
        struct text text = {0};
        struct trace trace;
        for (int i = 0; i < 4; i++)
            text_format(&text, "%s%s", i ? " , " : "{", members[(i + order) % 4]);
        text_add_byte(&text, '}');
        read_trace(&trace, text.items);
        assert_text(view_of(trace.metadata.items),
                    "{'baseTimeNanoseconds':1720000000000000000,'deviceProperties':["
                    "{'computeMajor':9,'computeMinor':0,'id':0,'name':'H100','numSms':132,"
                    "'totalGlobalMem':85000000000},{'id':1,'name':'AMD'}],'distributedInfo':"
                    "{'backend':'nccl','rank':3,'world_size':16},'schemaVersion':1}");
        assert_int_equal(trace.rank, 3);
        assert_int_equal(trace.world_size, 16);
        assert_int_equal(trace.clock_base, 1720000000000000000);
        assert_int_equal(trace.devices.count, 2);
        const struct device *device = trace.devices.items;
        assert_int_equal(device[0].ordinal, 0);
        assert_int_equal(device[0].memory_bytes, 85000000000);
        assert_int_equal(device[0].cores, 132);
        assert_text(text_of(&trace, device[0].name), "H100");
        assert_text(text_of(&trace, device[0].architecture), "9.0");
        assert_int_equal(device[1].ordinal, 1);
        assert_int_equal(device[1].memory_bytes, NONE);
        assert_int_equal(device[1].cores, NONE);
        assert_text(text_of(&trace, device[1].name), "AMD");
        assert_text(text_of(&trace, device[1].properties), "{'id':1,'name':'AMD'}");
        assert_int_equal(device[1].architecture, 0);
        assert_nothing_noted(&trace);
        trace_free(&trace);
        text_free(&text);
    }
}

static void metadata_may_be_missing(void **state)
{
    (void)state;
    struct trace trace;
    read_trace(&trace, "[" SLICE "]");
    assert_string_equal(trace.metadata.items, "{}");
    assert_int_equal(trace.rank, NONE);
    assert_int_equal(trace.world_size, NONE);
    assert_int_equal(trace.clock_base, NONE);
    assert_int_equal(trace.devices.count, 0);
    trace_free(&trace);
}

/* What is not of the expected shape is kept as it is, and nothing is read into it. */
static void metadata_may_be_odd(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "null",   "'text'",       "[]",           "'_rank_:7:x,{}'", "['rank',7]",
        "'_,{}'", "{'rank':'7'}", "[7,[{}],'{']", "{'a':{'id':1}}",  "-7.5",
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text,
                    "{'baseTimeNanoseconds':%s,'deviceProperties':%s,"
                    "'distributedInfo':%s}",
                    shapes[i], shapes[i], shapes[i]);
        char *kept = memory_text(text.items);
        text.count--;
        text_add_string(&text, ",'traceEvents':[]}");
        read_trace(&trace, text.items);
        assert_text(view_of(trace.metadata.items), kept);
        assert_int_equal(trace.rank, NONE);
        assert_int_equal(trace.world_size, NONE);
        assert_int_equal(trace.clock_base, NONE);
        assert_int_equal(trace.devices.count, 0);
        trace_free(&trace);
        text_free(&text);
        memory_free(kept);
    }
}

static void unknown_metadata_is_left_out(void **state)
{
    (void)state;
    static const char text[] =
        "{'env':{'TOKEN':'secret'},'schemaVersion':1,'traceEvents':[" SLICE "],"
        "'HOSTNAME':'h','with_stack':1,'schemaversion':2}";
    struct trace trace;
    read_trace(&trace, text);
    assert_text(view_of(trace.metadata.items), "{'schemaVersion':1,'with_stack':1}");
    assert_noted(&trace, NOTE_METADATA_LEFT_OUT, 3);
    assert_int_equal(trace.notes.entries[NOTE_METADATA_LEFT_OUT].uid, -1);
    for (uint32_t i = 1; i <= intern_count(&trace.strings); i++) /* nor does it stay elsewhere */
        assert_false(view_equal(intern_view(&trace.strings, i), VIEW("secret")));
    trace_free(&trace);

    static const struct read_options all = {.keep_metadata = true};
    read_with(&trace, text, &all);
    assert_text(view_of(trace.metadata.items),
                "{'HOSTNAME':'h','env':{'TOKEN':'secret'},'schemaVersion':1,'schemaversion':2,"
                "'with_stack':1}");
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void repairs_of_metadata_are_counted(void **state)
{
    (void)state;
    struct trace trace;
    read_trace(&trace, "{'trace_id':'a','trace_id':'\\ud800','traceEvents':[" SLICE "],"
                       "'displayTimeUnit':NaN}");
    assert_text(view_of(trace.metadata.items),
                "{'displayTimeUnit':null,'trace_id':'\xEF\xBF\xBD'}");
    static const enum note noted[] = {NOTE_DUPLICATE_KEY, NOTE_LONE_SURROGATE, NOTE_NOT_FINITE};
    for (int i = 0; i < 3; i++) {
        const struct note_entry *entry = &trace.notes.entries[noted[i]];
        assert_int_equal(entry->count, 1);
        assert_int_equal(entry->uid, -1);
        assert_int_equal(entry->offset, -1); /* where among the metadata is not known */
    }
    trace_free(&trace);
}

static void malformed_metadata_is_refused(void **state)
{
    (void)state;
    static const char sentence[] = "malformed JSON in the metadata beside the events";
    assert_refused("{'deviceProperties':[1,],'traceEvents':[" SLICE "]}", &usual, sentence, false);
    assert_refused("{'traceEvents':[" SLICE "],'deviceProperties':[}}", &usual, sentence, false);
    struct trace trace; /* what is left out is not looked into */
    read_trace(&trace, "{'env':{'a':,},'traceEvents':[" SLICE "]}");
    assert_noted(&trace, NOTE_METADATA_LEFT_OUT, 1);
    trace_free(&trace);
}

static void huge_metadata_is_left_out(void **state)
{
    (void)state;
    static const char *const ends[][2] = {{"'", "'"}, {"['", "']"}, {"{'a':'", "'}"}};
    for (int i = 0; i < 3; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text, "{'trace_id':%s", ends[i][0]);
        for (int j = 0; j < 400000; j++)
            text_add_string(&text, "\\\\\\\\\\\\\\'");
        text_format(&text, "%s,'schemaVersion':1,'traceEvents':[" SLICE "]}", ends[i][1]);
        read_trace(&trace, text.items);
        assert_text(view_of(trace.metadata.items), "{'schemaVersion':1,'trace_id':null}");
        assert_noted(&trace, NOTE_VALUE_CUT, 1);
        trace_free(&trace);
        text_free(&text);
    }
}

/* ------------------------------------------------------------------ input that breaks off */

/* Traces with marks: '^' at both ends of where they may break off without harm, '$' behind every
 * event. */
static const char *const breakable[] = {
    "[" SLICE "$^,\n ^{'ph':'X','name':'x','cat':'cpu_op',"
    "'args':{'x':[1,']'],'Sequence number':1}," TIMES "}$^,^" SLICE "$^\r\n^]\n",

    "\xEF\xBB\xBF {'schemaVersion': 1 , 'traceEvents' : [\n" SLICE "$^ , ^" SLICE "$^\n]  ^, "
    "'trace_id' : 'x\\''^  ^,'deviceProperties':[{'id':0}]^\n^,'distributedInfo':{'rank':1}^  ^} "
    "\n",

    "{'traceEvents':[{'ph':'X','cat':'kernel','args':{'stream':7,'correlation':2},'name':'k',"
    "'tid':7," TIMES "}$^,^{'ph':'X','cat':'cuda_runtime','name':'l',"
    "'args':{'correlation':2,'cbid':3}," TIMES "}$^ ]^}",
};
enum { BREAKABLE_COUNT = sizeof breakable / sizeof *breakable, LONGEST = 512 };

/* What may become of the trace when it ends after so many bytes. */
struct breaking {
    char json[LONGEST];
    size_t first, length; /* the first length that looks like a trace, and the whole */
    bool harmless[LONGEST], whole[LONGEST];
    uint32_t events[LONGEST]; /* complete ones */
};

static void take_apart(struct breaking *self, const char *marked)
{
    bool inside = false;
    uint32_t events = 0;
    *self = (struct breaking){0};
    for (const char *at = marked; *at; at++) {
        assert_true(self->length + 1 < LONGEST);
        self->harmless[self->length] |= inside || *at == '^';
        if (*at == '^')
            inside = !inside;
        else if (*at == '$')
            events++;
        else
            self->json[self->length++] = *at == '\'' ? '"' : *at;
        self->events[self->length] = events;
    }
    assert_false(inside);
    self->first = strcspn(self->json, "[{") + 1;
    size_t end = self->length;
    self->whole[end] = true;
    while (strchr(" \r\n", self->json[end - 1])) /* from the closing bracket on */
        self->whole[--end] = true;
}

static enum note end_of(const struct breaking *self)
{
    return self->json[self->first - 1] == '[' ? NOTE_LIST_OPEN : NOTE_END_MISSING;
}

static void input_may_break_off_after_an_event(void **state)
{
    (void)state;
    for (int i = 0; i < BREAKABLE_COUNT; i++) {
        struct breaking breaking;
        take_apart(&breaking, breakable[i]);
        for (size_t cut = breaking.first; cut <= breaking.length; cut++) {
            struct trace trace;
            struct error error;
            bool done = read_bytes(&trace, breaking.json, cut, &usual, &error);
            if (done != (breaking.whole[cut] || breaking.harmless[cut]))
                fail_msg("%.*s: %s", (int)cut, breaking.json, done ? "was taken" : error.text);
            if (done) {
                assert_int_equal(trace.slices.count, breaking.events[cut]);
                assert_noted(&trace, end_of(&breaking), !breaking.whole[cut]);
            } else {
                char sentence[128];
                snprintf(sentence, sizeof sentence, "input: the file ends early, at byte %zu", cut);
                assert_non_null(strstr(error.text, sentence));
                assert_int_equal(error.status, STATUS_BAD_INPUT);
                assert_false(error.foreign);
            }
            trace_free(&trace);
        }
    }
}

/* Links and tree find nothing of an event that was not complete. */
static void assert_sound(struct trace *trace)
{
    link_trace(trace);
    tree_build(trace, TREE_LONGEST_FIRST);
    assert_preorder(trace);
}

static void salvage_keeps_what_is_complete(void **state)
{
    (void)state;
    for (int i = 0; i < BREAKABLE_COUNT; i++) {
        struct breaking breaking;
        take_apart(&breaking, breakable[i]);
        for (size_t cut = breaking.first; cut <= breaking.length; cut++) {
            struct trace trace;
            struct error error;
            bool done = read_bytes(&trace, breaking.json, cut, &salvage, &error);
            if (done != (breaking.events[cut] > 0))
                fail_msg("%.*s: %s", (int)cut, breaking.json, done ? "was taken" : error.text);
            if (done) {
                bool harmless = breaking.harmless[cut];
                assert_int_equal(trace.slices.count, breaking.events[cut]);
                assert_int_equal(trace.events, breaking.events[cut]);
                assert_noted(&trace, harmless ? end_of(&breaking) : NOTE_SALVAGED,
                             !breaking.whole[cut]);
                if (!breaking.whole[cut] && !harmless)
                    assert_int_equal(trace.notes.entries[NOTE_SALVAGED].offset, cut);
                assert_sound(&trace);
            }
            trace_free(&trace);
        }
    }
}

static void salvage_applies_to_compressed_input(void **state)
{
    (void)state;
    for (int i = 0; i < BREAKABLE_COUNT; i++) {
        struct breaking breaking;
        struct trace trace;
        struct error error;
        take_apart(&breaking, breakable[i]);
        size_t size, most = 0, skip = breaking.first - 1;
        unsigned char *file = gzip_bytes(breaking.json + skip, breaking.length - skip, &size);
        for (size_t cut = 20; cut < size; cut++) {
            assert_false(read_bytes(&trace, file, cut, &usual, &error));
            if (!strstr(error.text, "the compressed data ends early, at byte "))
                fail_msg("after %zu bytes: %s", cut, error.text);
            trace_free(&trace);
            bool done = read_bytes(&trace, file, cut, &salvage, &error);
            if (!done && (most > 0 || !strstr(error.text, "the compressed data ends early")))
                fail_msg("after %zu bytes: %s", cut, error.text);
            if (done) {
                assert_true(trace.slices.count >= most);
                most = trace.slices.count;
                assert_noted(&trace, NOTE_SALVAGED, 1);
                assert_sound(&trace);
            }
            trace_free(&trace);
        }
        assert_int_equal(most, breaking.events[breaking.length]);

        /* a wrong checksum is found at the end, when all events are there */
        file[size - 6] ^= 1;
        assert_false(read_bytes(&trace, file, size, &usual, &error));
        assert_non_null(strstr(error.text, "the compressed data is damaged"));
        trace_free(&trace);
        assert_true(read_bytes(&trace, file, size, &salvage, &error));
        assert_int_equal(trace.slices.count, most);
        assert_noted(&trace, NOTE_SALVAGED, 1);
        assert_int_equal(trace.rank, i == 1 ? 1 : NONE);
        trace_free(&trace);
        memory_free(file);
    }
}

/* What is malformed has not broken off; also not when the file does so later. */
static void salvage_does_not_excuse_what_is_malformed(void **state)
{
    (void)state;
    static const char *const bad[] = {
        EVENT(TIMES ",'args':{'Sequence number':1,'Input Dims':[1,,2]}"),
        "{'ph':'X','cat':'kernel'," TIMES ",'args':{'x':[1,,2]}}",
        "{'ph':'X','cat':'cuda_runtime'," TIMES ",'args':{'x':[tru]}}",
        "{'ph' 'X'}",
        "{'ph':'X' 'dur':1}",
        "{'ph':x}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text text = {0};
        struct trace trace;
        struct error error;
        text_format(&text, "[" SLICE ",%s," SLICE ",", bad[i]);
        assert_false(read_text(&trace, text.items, &salvage, &error));
        assert_null(strstr(error.text, "ends early"));
        trace_free(&trace);
        size_t size;
        char *json = json_of(text.items);
        void *file = gzip_bytes(json, strlen(json), &size);
        bool done = read_bytes(&trace, file, size - 3, &salvage, &error);
        if (done) {
            assert_sound(&trace);
            fail_msg("salvaged %s", bad[i]);
        }
        trace_free(&trace);
        memory_free(file);
        memory_free(json);
        text_free(&text);
    }
}

/* Without a single event there is nothing to accept. */
static void a_list_without_events_must_be_whole(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "[",
        "{'traceEvents':",
        "{'traceEvents':[",
        "{'traceEvents':[]",
        "{'traceEvents':[] \n",
        "{'schemaVersion':1,'traceEvents':[]",
        "{'traceEvents':[{'name':'no phase'}",
        "{'traceEvents':[{'name':'no phase'}]",
        "{'traceEvents':[7]",
        "[{'name':'no phase'},",
        "{'traceEvents':[],'trace_id':'x'",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char sentence[128];
        snprintf(sentence, sizeof sentence, "the file ends early, at byte %zu", strlen(texts[i]));
        assert_refused(texts[i], &usual, sentence, false);
        assert_refused(texts[i], &salvage, sentence, false);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_trace_is_an_object_or_a_list),
    cmocka_unit_test(an_event_list_may_come_twice),
    cmocka_unit_test(what_is_no_trace_is_foreign),
    cmocka_unit_test(a_trace_may_be_empty),
    cmocka_unit_test(nothing_may_follow_a_trace),
    cmocka_unit_test(metadata_may_stand_anywhere),
    cmocka_unit_test(metadata_may_be_missing),
    cmocka_unit_test(metadata_may_be_odd),
    cmocka_unit_test(unknown_metadata_is_left_out),
    cmocka_unit_test(repairs_of_metadata_are_counted),
    cmocka_unit_test(malformed_metadata_is_refused),
    cmocka_unit_test(huge_metadata_is_left_out),
    cmocka_unit_test(input_may_break_off_after_an_event),
    cmocka_unit_test(salvage_keeps_what_is_complete),
    cmocka_unit_test(salvage_applies_to_compressed_input),
    cmocka_unit_test(salvage_does_not_excuse_what_is_malformed),
    cmocka_unit_test(a_list_without_events_must_be_whole),
};
GROUP(kineto, NULL, NULL)
