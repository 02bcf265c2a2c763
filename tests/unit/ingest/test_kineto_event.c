/* Events of PyTorch traces: what becomes of every kind of event and of everything in one, usual or
 * odd. The files that they stand in are in test_kineto.c. */
#include "tests/unit/reading.h"

#include "ingest/input/json.h"
#include "ingest/trace/counter.h"

/* ------------------------------------------------------------------ keys and phases */

static void swap(const char **left, const char **right)
{
    const char *kept = *left;
    *left = *right;
    *right = kept;
}

static void add_permutations(struct text *text, const char **members, size_t done, size_t count)
{
    for (size_t i = done; i < count; i++) {
        swap(&members[done], &members[i]);
        add_permutations(text, members, done + 1, count);
        swap(&members[done], &members[i]);
    }
    if (done < count)
        return;
    text_add_byte(text, text->count ? ',' : '[');
    for (size_t i = 0; i < count; i++)
        text_format(text, "%c%s", i ? ',' : '{', members[i]);
    text_add_byte(text, '}');
}

static void keys_come_in_any_order(void **state)
{
    (void)state;
    const char *members[] = {
        "'ph':'X'",      "'cat':'kernel'",
        "'name':'gemm'", "'pid':0",
        "'tid':7",       "'ts':5.25",
        "'dur':1.5",     "'args':{'stream':7,'correlation':3,'grid':[1,2,3]}",
    };
    enum { COUNT = 40320 };
    struct text text = {0};
    struct trace trace;
    add_permutations(&text, members, 0, 8);
    text_add_byte(&text, ']');
    read_trace(&trace, text.items);
    assert_int_equal(trace.slices.count, COUNT);
    assert_int_equal(trace.gpus.count, COUNT);
    assert_name(&trace, 0, "gemm");
    assert_arguments(&trace, 0, "{'grid':[1,2,3]}");
    assert_place(&trace, trace.slices.items[0].place, "0", "7");
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct slice *slice = &trace.slices.items[i], *first = trace.slices.items;
        assert_int_equal(slice->start, 5250);
        assert_int_equal(slice->duration, 1500);
        assert_int_equal(slice->category, CATEGORY_KERNEL);
        assert_int_equal(slice->uid, i);
        assert_int_equal(slice->side, i);
        assert_int_equal(slice->name, first->name);
        assert_int_equal(slice->arguments, first->arguments);
        assert_int_equal(slice->place, first->place);
        assert_int_equal(trace.gpus.items[i].slice, i);
        assert_int_equal(trace.gpus.items[i].stream, 7);
        assert_int_equal(trace.gpus.items[i].correlation, 3);
    }
    assert_nothing_noted(&trace);
    trace_free(&trace);
    text_free(&text);
}

static void the_last_of_equal_keys_holds(void **state)
{
    (void)state;
    static const struct {
        const char *event, *arguments;
        int64_t duplicates;
    } cases[] = {
        {EVENT("'name':'last'," TIMES), NULL, 1},
        {EVENT("'name':'x','name':'last','dur':1," TIMES), NULL, 3},
        {EVENT(TIMES ",'name':'last','args':{'a':1},'args':{'b':2}"), "{'b':2}", 2},
        {EVENT(TIMES ",'name':'last','args':{'a':1,'bytes':1},'args':null"), NULL, 2},
        {EVENT(TIMES ",'name':'last','args':{'a':1,'b':2,'a':3}"), "{'a':3,'b':2}", 2},
        {EVENT(TIMES ",'name':'last','args':{'bytes':1,'bytes':2}"), "{'bytes':2}", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        READ(&trace, cases[i].event);
        assert_name(&trace, 0, "last");
        assert_int_equal(slice_of(&trace, 0)->duration, 5000);
        assert_arguments(&trace, 0, cases[i].arguments);
        assert_noted(&trace, NOTE_DUPLICATE_KEY, cases[i].duplicates);
        trace_free(&trace);
    }
}

static void every_phase_is_used_or_counted(void **state)
{
    (void)state;
    /* all that the format has, and some that it has not */
    static const char letters[] = "XsfMnStTpFPNODvVRcigqIx(9";
    struct text text = {0};
    struct trace trace;
    for (const char *at = letters; *at; at++)
        text_format(&text,
                    "%s{'ph':'%c','cat':'%s','name':'process_name','id':1,'pid':1,"
                    "'tid':2," TIMES ",'args':{'name':'p'}}",
                    text.count ? "," : "", *at, *at == 'X' ? "cpu_op" : "fwdbwd");
    READ(&trace, text.items);
    assert_int_equal(trace.events, strlen(letters));
    assert_int_equal(trace.slices.count, 1);
    assert_int_equal(trace.flows.count, 2);
    assert_int_equal(trace.labels.count, 1);
    assert_noted(&trace, NOTE_PHASE_UNUSED, (int64_t)strlen(letters) - 4);
    for (int letter = 0; letter < 256; letter++) {
        const char *place = letter ? strchr(letters, letter) : NULL;
        const struct note_entry *entry = &trace.notes.phases[letter];
        assert_int_equal(entry->count, place && place >= letters + 4);
        if (entry->count)
            assert_int_equal(entry->uid, place - letters);
    }
    trace_free(&trace);
    text_free(&text);
}

/* A row of the counters of a trace, as "NAME|UNIT|PLACE|TIME VALUE|TIME VALUE". */
static void assert_counter(const struct trace *trace, size_t index, const char *expected)
{
    const struct fact_list *tracks = &trace->facts.items[0], *samples = &trace->facts.items[1];
    struct text told = {0};
    assert_ptr_equal(tracks->table, &counter_track_facts);
    assert_ptr_equal(samples->table, &counter_sample_facts);
    assert_true(index < tracks->count);
    for (size_t i = 1; tracks->table->columns[i].name; i++) {
        const struct fact_column *column = &tracks->table->columns[i];
        if (column->type != FACT_TEXT && column->type != FACT_WORD)
            continue;
        uint32_t number = fact_number(fact_row(tracks, index), column);
        struct view text = number ? intern_view(&trace->strings, number) : VIEW("");
        text_format(&told, "%.*s|", (int)text.length, text.bytes);
    }
    for (size_t i = 0; i < samples->count; i++) {
        const struct counter_sample *sample = fact_row(samples, i);
        if (sample->counter == index)
            text_format(&told, " %" PRId64 ":%g", sample->time, sample->value);
    }
    assert_string_equal(told.items, expected);
    text_free(&told);
}

static void counters_are_sampled(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace,
         "{'ph':'M','name':'process_name','pid':7,'args':{'name':'HBM of it'}},"
         "{'ph':'C','name':'HBM','pid':7,'ts':5,'args':{'Read(MB/s)':12,'Write(MB/s)':'3.5'}},"
         "{'args':{'queued':4,'Total Allocated':-1},'ts':'6.25','name':'q','ph':'C','pid':'x'},"
         "{'ph':'C','name':'Freq [0]','ts':9,'args':{'MHz':1700}},"
         "{'ph':'C','name':'Freq [0]','ts':8,'args':{'MHz':1800}},"
         "{'ph':'C','name':'SMs [Throughput %]','id':'a\\u0062','ts':1e3,'args':{'value':1e2}}");
    assert_int_equal(trace.slices.count, 0);
    assert_int_equal(trace.facts.count, 2);
    assert_counter(&trace, 0, "HBM Read|MB/s|7|HBM of it|C| 5000:12");
    assert_counter(&trace, 1, "HBM Write|MB/s|7|HBM of it|C| 5000:3.5");
    assert_counter(&trace, 2, "q Total Allocated||x||C| 6250:-1");
    assert_counter(&trace, 3, "q queued||x||C| 6250:4");
    assert_counter(&trace, 4, "Freq [0]|MHz|||C| 8000:1800 9000:1700");
    assert_counter(&trace, 5, "SMs[ab]|Throughput %|||C| 1000000:100");
    assert_int_equal(trace.sampled, 5000);
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void counters_have_one_value_at_a_time(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'C','name':'c','ts':5,'args':{'value':1}},"
                 "{'ph':'C','name':'c','ts':5,'args':{'value':3}},"
                 "{'ph':'C','name':'c','ts':5,'args':{'value':2}},"
                 "{'ph':'C','name':'c','ts':4,'args':{'value':9}}");
    assert_counter(&trace, 0, "c||||C| 4000:9 5000:3");
    assert_noted(&trace, NOTE_SAMPLE_REPEATED, 2);
    trace_free(&trace);
}

static void values_of_counters_may_be_odd(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'C','name':'c','ts':5,'args':{'a':null,'b':'x','c':[1],'d':{},'e':'',"
                 "'f':true,'g':1e999,'h':'1 2'}},{'ph':'C','name':'d','ts':5,'args':{'value':0}}");
    assert_noted(&trace, NOTE_VALUE_ODD, 8);
    assert_counter(&trace, 0, "d||||C| 5000:0");
    trace_free(&trace);
    READ(&trace, "{'ph':'C','name':'c','ts':'soon','args':{'a':1}}");
    assert_noted(&trace, NOTE_TIME_MISSING, 1);
    assert_int_equal(trace.facts.count, 0);
    trace_free(&trace);
    READ(&trace, "{'ph':'C','name':'c','ts':1,'args':{'a':NaN,'b':Infinity}}");
    assert_noted(&trace, NOTE_NOT_FINITE, 2);
    trace_free(&trace);
}

static void ids_are_no_arguments_where_the_phase_comes_last(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'args':{'Ev Idx':4,'x':1},'cat':'cpu_op','dur':1,'name':'a','pid':1,'ph':'X',"
                 "'tid':1,'ts':1}");
    assert_arguments(&trace, 0, "{'x':1}");
    trace_free(&trace);
}

static void starts_and_ends_make_slices(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'E','pid':1,'tid':1,'ts':30},"
                 "{'ph':'B','cat':'cpu_op','name':'outer','pid':1,'tid':1,'ts':0,'args':{'x':1}},"
                 "{'ph':'E','pid':1,'tid':1,'ts':20},{'ph':'E','pid':1,'tid':2,'ts':14},"
                 "{'ph':'B','cat':'kernel','name':'inner','pid':1,'tid':1,'ts':10},"
                 "{'ph':'B','name':'other','pid':1,'tid':2,'ts':11}");
    assert_int_equal(trace.slices.count, 3);
    assert_int_equal(trace.gpus.count, 1);
    assert_int_equal(trace.slices.items[0].duration, 30000);
    assert_int_equal(trace.slices.items[1].duration, 10000);
    assert_int_equal(trace.slices.items[2].duration, 3000);
    assert_arguments(&trace, 1, "{'x':1}");
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void slices_that_follow_each_other_at_once_are_told_by_their_order(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'B','name':'a','pid':1,'tid':1,'ts':1},{'ph':'E','pid':1,'tid':1,'ts':2},"
                 "{'ph':'B','name':'b','pid':1,'tid':1,'ts':2},{'ph':'E','pid':1,'tid':1,'ts':3}");
    assert_int_equal(trace.slices.items[0].duration, 1000);
    assert_int_equal(trace.slices.items[1].duration, 1000);
    assert_nothing_noted(&trace);
    trace_free(&trace);
}

static void starts_and_ends_may_be_alone(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'B','name':'a','pid':1,'tid':1,'ts':1},"
                 "{'ph':'X','name':'x','pid':1,'tid':2,'ts':1,'dur':9}");
    assert_int_equal(trace.slices.items[0].duration, 9000); /* to the end of all */
    assert_noted(&trace, NOTE_RANGE_OPEN, 1);
    trace_free(&trace);
    READ(&trace, "{'ph':'E','name':'a','pid':1,'tid':1,'ts':1}");
    assert_int_equal(trace.slices.count, 0);
    assert_noted(&trace, NOTE_END_WITHOUT_START, 1);
    trace_free(&trace);
    READ(&trace, "{'ph':'B','name':'a','pid':1,'tid':1},{'ph':'E','pid':1,'tid':1,'ts':'x'}");
    assert_int_equal(trace.slices.count, 0);
    assert_noted(&trace, NOTE_TIME_MISSING, 2);
    trace_free(&trace);
}

static void asynchronous_slices_are_told_by_their_ids(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, "{'ph':'b','cat':'cpu_op','id':1,'name':'a','pid':1,'ts':1},"
                 "{'ph':'b','cat':'cpu_op','id':2,'name':'b','pid':1,'ts':2},"
                 "{'ph':'b','cat':'cpu_op','id':1,'name':'c','pid':1,'ts':3},"
                 "{'ph':'e','cat':'cpu_op','id':1,'name':'c','pid':1,'ts':4},"
                 "{'ph':'e','cat':'cpu_op','id':1,'name':'a','pid':1,'ts':6},"
                 "{'ph':'e','cat':'cpu_op','id':2,'name':'b','pid':1,'ts':9},"
                 "{'ph':'e','cat':'other','id':2,'name':'b','pid':1,'ts':9}");
    assert_int_equal(trace.slices.count, 3);
    assert_int_equal(trace.slices.items[0].duration, 5000);
    assert_int_equal(trace.slices.items[1].duration, 7000);
    assert_int_equal(trace.slices.items[2].duration, 1000);
    assert_int_equal(trace_role(&trace, &trace.slices.items[0]), ROLE_OTHER);
    assert_noted(&trace, NOTE_END_WITHOUT_START, 1);
    trace_free(&trace);
}

static void phases_may_be_missing_or_odd(void **state)
{
    (void)state;
    static const char text[] =
        "[{'name':'no phase','pid':1,'ts':5},"
        "{'name':'a slice','cat':'cpu_op','pid':1,'tid':2,'ts':5,'dur':7},"
        "{'ph':'','name':'empty','cat':'cpu_op','pid':1,'tid':2,'ts':5,'dur':7},"
        "{'ph':'XX','name':'long','ts':5,'dur':7},"
        "{'ph':null,'name':'null','ts':5,'dur':7},"
        "{}]";
    struct trace trace;
    read_trace(&trace, text);
    assert_int_equal(trace.events, 6);
    assert_int_equal(trace.slices.count, 2);
    assert_name(&trace, 1, "a slice");
    assert_name(&trace, 2, "empty");
    assert_int_equal(slice_of(&trace, 2)->duration, 7000);
    assert_int_equal(trace.notes.entries[NOTE_PHASE_MISSING].count, 1);
    assert_first(&trace.notes.entries[NOTE_PHASE_MISSING], 0, text, "{'name':'no phase");
    assert_int_equal(trace.notes.entries[NOTE_PHASE_UNUSED].count, 3); /* {} is no event */
    assert_first(&trace.notes.entries[NOTE_PHASE_UNUSED], 3, text, "{'ph':'XX'");
    assert_int_equal(trace.notes.phases[0].count, 3);
    trace_free(&trace);
}

static void elements_that_are_no_objects_are_counted(void **state)
{
    (void)state;
    static const char text[] = "[ 1,null," SLICE ",[" SLICE "],'x'," SLICE ",true]";
    struct trace trace;
    read_trace(&trace, text);
    assert_int_equal(trace.events, 7);
    assert_int_equal(trace.slices.count, 2);
    assert_int_equal(trace.slices.items[0].uid, 2);
    assert_int_equal(trace.slices.items[1].uid, 5);
    assert_noted(&trace, NOTE_NOT_AN_OBJECT, 5);
    assert_first(&trace.notes.entries[NOTE_NOT_AN_OBJECT], 0, text, "1,null");
    trace_free(&trace);
}

static void notes_tell_where_the_first_one_is(void **state)
{
    (void)state;
    static const char text[] = "{'schemaVersion':1,\r\n'traceEvents':[\r\n  " SLICE ",\n  7,"
                               "{'ph':'P'}  ,\t{'ph':'X','dur':1,'n':'no time'},"
                               "{'ph':'P','second':1},\n{'ph':'p'},[8],"
                               "{'ph':'X','ts':1,'dur':1,'n':'no name'},{'ph':'X','dur':NaN}]}";
    struct trace trace;
    read_trace(&trace, text);
    const struct note_entry *notes = trace.notes.entries;
    assert_int_equal(notes[NOTE_NOT_AN_OBJECT].count, 2);
    assert_first(&notes[NOTE_NOT_AN_OBJECT], 1, text, "7,{");
    assert_int_equal(notes[NOTE_PHASE_UNUSED].count, 3);
    assert_first(&notes[NOTE_PHASE_UNUSED], 2, text, "{'ph':'P'}");
    assert_int_equal(trace.notes.phases['P'].count, 2);
    assert_first(&trace.notes.phases['P'], 2, text, "{'ph':'P'}");
    assert_int_equal(trace.notes.phases['p'].count, 1);
    assert_first(&trace.notes.phases['p'], 5, text, "{'ph':'p'}");
    assert_int_equal(notes[NOTE_TIME_MISSING].count, 2);
    assert_first(&notes[NOTE_TIME_MISSING], 3, text, "{'ph':'X','dur':1");
    assert_int_equal(notes[NOTE_NAME_MISSING].count, 1);
    assert_first(&notes[NOTE_NAME_MISSING], 7, text, "{'ph':'X','ts':1");
    trace_free(&trace);
}

/* ------------------------------------------------------------------ times and names */

static void durations_may_be_odd(void **state)
{
    (void)state;
    static const struct {
        const char *duration;
        int64_t expected;
        enum note note;
    } cases[] = {
        {"7.5", 7500, NOTE_COUNT},
        {"9007199254740.992", DURATION_MAX, NOTE_COUNT},
        {"9007199254740.993", DURATION_MAX, NOTE_DURATION_CLIPPED},
        {"1e300", DURATION_MAX, NOTE_DURATION_CLIPPED},
        {"0", 0, NOTE_DURATION_ZERO},
        {"0.0004", 0, NOTE_DURATION_ZERO},
        {"-0.0", 0, NOTE_DURATION_ZERO},
        {"-1", 0, NOTE_DURATION_NEGATIVE},
        {"-0.001", 0, NOTE_DURATION_NEGATIVE},
        {"-1e300", 0, NOTE_DURATION_NEGATIVE},
        {"NaN", 0, NOTE_NOT_FINITE},
        {"-Infinity", 0, NOTE_NOT_FINITE},
        {"null", 0, NOTE_DURATION_MISSING},
        {"'7.5'", 7500, NOTE_COUNT}, /* as some profilers write numbers */
        {"'0.0004'", 0, NOTE_DURATION_ZERO},
        {"'-1'", 0, NOTE_DURATION_NEGATIVE},
        {"'1e300'", DURATION_MAX, NOTE_DURATION_CLIPPED},
        {"''", 0, NOTE_DURATION_MISSING},
        {"' 5'", 0, NOTE_DURATION_MISSING},
        {"'NaN'", 0, NOTE_DURATION_MISSING},
        {"[5]", 0, NOTE_DURATION_MISSING},
        {"1.2.3", 0, NOTE_DURATION_MISSING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text, EVENT("'ts':10,'dur':%s"), cases[i].duration);
        READ(&trace, text.items);
        assert_int_equal(trace.slices.count, 1);
        assert_int_equal(trace.slices.items[0].start, 10000);
        assert_int_equal(trace.slices.items[0].duration, cases[i].expected);
        assert_noted(&trace, cases[i].note, 1);
        trace_free(&trace);
        text_free(&text);
    }
    struct trace trace;
    READ(&trace, EVENT("'ts':10"));
    assert_int_equal(trace.slices.items[0].duration, 0);
    assert_noted(&trace, NOTE_DURATION_MISSING, 1);
    trace_free(&trace);
}

static void times_may_be_odd(void **state)
{
    (void)state;
    static const struct {
        const char *time;
        int64_t expected;
        enum note note; /* NOTE_COUNT = the slice is there */
    } cases[] = {
        {"-5", -5000, NOTE_COUNT},
        {"0", 0, NOTE_COUNT},
        {"1.7e9", 1700000000000, NOTE_COUNT},
        {"1720000000000000.123", 1720000000000000123, NOTE_COUNT},
        {"4602678819172646.912", ((int64_t)1 << 62) - ((int64_t)1 << 53), NOTE_COUNT},
        {"4602678819172646.913", 0, NOTE_TIME_OUT_OF_RANGE},
        {"1e300", 0, NOTE_TIME_OUT_OF_RANGE},
        {"-1e300", 0, NOTE_TIME_OUT_OF_RANGE},
        {"NaN", 0, NOTE_TIME_MISSING},
        {"Infinity", 0, NOTE_TIME_MISSING},
        {"null", 0, NOTE_TIME_MISSING},
        {"'1720000000000000.123'", 1720000000000000123, NOTE_COUNT},
        {"'-5'", -5000, NOTE_COUNT},
        {"'1e300'", 0, NOTE_TIME_OUT_OF_RANGE},
        {"''", 0, NOTE_TIME_MISSING},
        {"'10us'", 0, NOTE_TIME_MISSING},
        {"'\\u0031'", 0, NOTE_TIME_MISSING},
        {"1..2", 0, NOTE_TIME_MISSING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text, EVENT("'ts':%s,'dur':1"), cases[i].time);
        READ(&trace, text.items);
        assert_int_equal(trace.events, 1);
        assert_int_equal(trace.slices.count, cases[i].note == NOTE_COUNT);
        if (trace.slices.count)
            assert_int_equal(trace.slices.items[0].start, cases[i].expected);
        assert_noted(&trace, cases[i].note, 1);
        trace_free(&trace);
        text_free(&text);
    }
    struct trace trace;
    READ(&trace, EVENT("'dur':1"));
    assert_int_equal(trace.slices.count, 0);
    assert_noted(&trace, NOTE_TIME_MISSING, 1);
    trace_free(&trace);
}

static void names_are_read_and_may_be_odd(void **state)
{
    (void)state;
    static const struct {
        const char *member, *name;
        enum note note;
    } cases[] = {
        {"'name':'a\\u00e9\\n\\'b',", "a\xC3\xA9\n'b", NOTE_COUNT},
        {"'name':'',", "", NOTE_COUNT},
        {"", "", NOTE_NAME_MISSING},
        {"'name':null,", "null", NOTE_NAME_MISSING},
        {"'name':7,", "7", NOTE_NAME_MISSING},
        {"'name':'\\udc00',", "\xEF\xBF\xBD", NOTE_LONE_SURROGATE},
        {"'name':'\xFF',", "\xEF\xBF\xBD", NOTE_INVALID_UTF8},
        {"'name':'a\\u0000',", "a\xEF\xBF\xBD", NOTE_NUL_CHARACTER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text, "{%s'ph':'X','cat':'cpu_op'," TIMES "}", cases[i].member);
        READ(&trace, text.items);
        assert_name(&trace, 0, cases[i].name);
        assert_noted(&trace, cases[i].note, 1);
        trace_free(&trace);
        text_free(&text);
    }
}

static void add_filled(struct text *text, const char *unit, size_t length)
{
    for (size_t end = text->count + length; text->count < end;)
        text_add_string(text, unit);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    text_add_string(&text, "[" SLICE ",{'name':'begin");
    add_filled(&text, "\\'n", 3 << 20);
    text_add_string(&text, "','ph':'X','cat':'cpu_op','pid':'p'," TIMES "}," SLICE "]");
    read_trace(&trace, text.items);
    assert_int_equal(trace.slices.count, 3);
    struct view name = text_of(&trace, slice_of(&trace, 1)->name);
    assert_starts(name, "begin'n'n'n");
    assert_true(name.length > JSON_STRING_KEPT / 2 && name.length <= JSON_STRING_KEPT);
    assert_place(&trace, slice_of(&trace, 1)->place, "'p'", "");
    assert_int_equal(slice_of(&trace, 2)->place, slice_of(&trace, 0)->place);
    assert_noted(&trace, NOTE_VALUE_CUT, 1);
    assert_first(&trace.notes.entries[NOTE_VALUE_CUT], 1, text.items, "{'name':'begin");
    trace_free(&trace);
    text_free(&text);
}

/* ------------------------------------------------------------------ places */

static void places_are_named_as_the_file_names_them(void **state)
{
    (void)state;
    static const char *const members[][3] = {
        {"'pid':1,'tid':2", "1", "2"},
        {"'pid':'1','tid':2", "'1'", "2"},
        {"'pid':1,'tid':'2'", "1", "'2'"},
        {"'pid':12,'tid':''", "12", "''"},
        {"'pid':12", "12", ""},
        {"'tid':12", "", "12"},
        {"'pid':'','tid':12", "''", "12"},
        {"'s':1", "", ""},
        {"'pid':'','tid':''", "''", "''"},
        {"'pid':'Spans','tid':'PyTorch Profiler (0)'", "'Spans'", "'PyTorch Profiler (0)'"},
        {"'pid':-1,'tid':18446744073709551615", "-1", "18446744073709551615"},
        /* the same bytes in all */
        {"'pid':'a\x05z','tid':'y'", "'a\x05z'", "'y'"},
        {"'pid':'a','tid':'z\x05y'", "'a'", "'z\x05y'"},
    };
    enum { COUNT = sizeof members / sizeof *members };
    struct text text = {0};
    struct trace trace;
    /* each one after each other one, so that what was seen last does not matter */
    for (size_t i = 0; i < COUNT * COUNT; i++)
        text_format(&text, "%s{'ph':'X'," TIMES ",%s},{'ph':'X'," TIMES ",%s}", i ? "," : "",
                    members[i / COUNT][0], members[i % COUNT][0]);
    READ(&trace, text.items);
    assert_int_equal(intern_count(&trace.places), COUNT);
    for (uint32_t i = 0; i < COUNT * COUNT; i++) {
        const char *const *first = members[i / COUNT], *const *second = members[i % COUNT];
        assert_place(&trace, slice_of(&trace, 2 * i)->place, first[1], first[2]);
        assert_place(&trace, slice_of(&trace, 2 * i + 1)->place, second[1], second[2]);
    }
    trace_free(&trace);
    text_free(&text);
}

static void long_thread_names_are_places_too(void **state)
{
    (void)state;
    static const int lengths[] = {40, 90, 92, 93, 94, 150, 94, 93, 40};
    enum { COUNT = sizeof lengths / sizeof *lengths };
    struct text text = {0}, name = {0};
    struct trace trace;
    add_filled(&name, "n", 150);
    for (int i = 0; i < COUNT; i++)
        text_format(&text, "%s{'ph':'X'," TIMES ",'pid':1,'tid':'%.*s'}", i ? "," : "", lengths[i],
                    name.items);
    READ(&trace, text.items);
    assert_int_equal(intern_count(&trace.places), 6);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct place place = trace_place(&trace, slice_of(&trace, i)->place);
        assert_int_equal(text_of(&trace, place.thread).length, lengths[i] + 2);
    }
    trace_free(&trace);
    text_free(&text);
    text_free(&name);
}

/* ------------------------------------------------------------------ categories */

static void read_category(struct trace *trace, const char *member)
{
    struct text text = {0};
    text_format(&text, "{'ph':'X','name':'n'%s," TIMES "}", member);
    READ(trace, text.items);
    text_free(&text);
    assert_int_equal(trace->slices.count, 1);
}

static void categories_have_many_spellings(void **state)
{
    (void)state;
    static const struct {
        const char *spelling, *category;
        enum role role;
    } cases[] = {
        {"cpu_op", "cpu_op", ROLE_OP},
        {"Operator", "cpu_op", ROLE_OP},
        {"kernel", "kernel", ROLE_GPU},
        {"Kernel", "kernel", ROLE_GPU},
        {"concurrent_kernel", "kernel", ROLE_GPU},
        {"gpu_memcpy", "gpu_memcpy", ROLE_GPU},
        {"Memcpy", "gpu_memcpy", ROLE_GPU},
        {"Memset", "gpu_memset", ROLE_GPU},
        {"Runtime", "cuda_runtime", ROLE_CALL},
        {"cuda_driver", "cuda_driver", ROLE_CALL},
        {"Driver", "cuda_driver", ROLE_CALL},
        {"xpu_runtime", "xpu_runtime", ROLE_CALL},
        {"hpu_op", "hpu_op", ROLE_CALL},
        {"python_function", "python_function", ROLE_FRAME},
        {"user_annotation", "user_annotation", ROLE_MARK},
        {"gpu_user_annotation", "gpu_user_annotation", ROLE_GPU_MARK},
        {"Trace", "Trace", ROLE_OTHER},
        {"", "", ROLE_OTHER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        char member[64];
        snprintf(member, sizeof member, ",'cat':'%s'", cases[i].spelling);
        read_category(&trace, member);
        assert_string_equal(category_name(trace.slices.items[0].category), cases[i].category);
        assert_int_equal(trace_role(&trace, &trace.slices.items[0]), cases[i].role);
        assert_int_equal(trace.gpus.count, cases[i].role == ROLE_GPU);
        assert_int_equal(trace.calls.count, cases[i].role == ROLE_CALL);
        assert_nothing_noted(&trace);
        trace_free(&trace);
    }
    static const char *const none[] = {"", ",'cat':null", ",'cat':5", ",'cat':['kernel']"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        struct trace trace;
        read_category(&trace, none[i]);
        assert_int_equal(trace.slices.items[0].category, CATEGORY_NONE);
        trace_free(&trace);
    }
}

static void unknown_categories_keep_their_names(void **state)
{
    (void)state;
    struct trace trace;
#define STRANGE(category) "{'ph':'X','name':'n','cat':'" category "'," TIMES "}"
    READ(&trace, STRANGE("my \\'cat\\'"), STRANGE("KERNEL"), STRANGE("KERNEL"),
         STRANGE("my \\'cat\\'"), STRANGE("my \\u0022cat\\u0022"));
    for (uint32_t i = 0; i < 5; i++) {
        int category = slice_of(&trace, i)->category;
        assert_true(category >= CATEGORY_KNOWN_COUNT);
        assert_text(text_of(&trace, trace.categories.names[category]),
                    i == 1 || i == 2 ? "KERNEL" : "my 'cat'");
        assert_int_equal(trace_role(&trace, slice_of(&trace, i)), ROLE_OTHER);
    }
    assert_int_equal(trace.categories.count, CATEGORY_KNOWN_COUNT + 2);
    assert_int_equal(trace.notes.entries[NOTE_CATEGORY_UNKNOWN].uid, 0);
    trace_free(&trace);
}

static void categories_may_be_too_many(void **state)
{
    (void)state;
    enum { COUNT = 300, FIT = CATEGORY_COUNT_MAX + 1 - CATEGORY_KNOWN_COUNT };
    struct text text = {0};
    struct trace trace;
    for (int i = 0; i < 2 * COUNT; i++)
        text_format(&text, "%s{'ph':'X','name':'n','cat':'c%d'," TIMES "}", i ? "," : "",
                    i % COUNT);
    READ(&trace, text.items);
    for (uint32_t i = 0; i < 2 * COUNT; i++) {
        char name[16];
        int category = slice_of(&trace, i)->category;
        snprintf(name, sizeof name, "c%u", i % COUNT);
        if (i % COUNT < FIT)
            assert_text(text_of(&trace, trace.categories.names[category]), name);
        else
            assert_int_equal(category, CATEGORY_NONE);
    }
    /* categories are counted, not their slices */
    assert_int_equal(trace.notes.entries[NOTE_CATEGORY_UNKNOWN].count, FIT);
    assert_int_equal(trace.notes.entries[NOTE_CATEGORY_OVERFLOW].count, COUNT - FIT);
    trace_free(&trace);
    text_free(&text);
}

static void frames_can_be_left_out(void **state)
{
    (void)state;
    static const struct read_options no_frames = {.no_frames = true};
    static const char text[] = "[" SLICE ",{'ph':'X','cat':'python_function','name':'f'," TIMES "},"
                               "{'ph':'X','cat':'python_function','ts':NaN}," SLICE "]";
    struct trace trace;
    read_with(&trace, text, &no_frames);
    assert_int_equal(trace.slices.count, 2);
    assert_int_equal(trace.slices.items[1].uid, 3);
    assert_int_equal(trace.notes.entries[NOTE_FRAME_LEFT_OUT].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_TIME_MISSING].count, 1); /* as with frames */
    assert_first(&trace.notes.entries[NOTE_FRAME_LEFT_OUT], 1, text, "{'ph':'X','cat':'python");
    trace_free(&trace);
    read_trace(&trace, text);
    assert_int_equal(trace.slices.count, 3);
    assert_int_equal(trace_role(&trace, &trace.slices.items[1]), ROLE_FRAME);
    trace_free(&trace);
}

/* ------------------------------------------------------------------ arguments */

static void read_arguments(struct trace *trace, const char *category, const char *arguments)
{
    struct text text = {0};
    text_format(&text, "{'ph':'X','cat':'%s','name':'n'," TIMES ",'args':%s}", category, arguments);
    READ(trace, text.items);
    text_free(&text);
    assert_int_equal(trace->slices.count, 1);
}

static void arguments_are_kept_as_canonical_json(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        {"cpu_op", "{}", NULL},
        {"cpu_op", "null", NULL},
        {"user_annotation", "{'b':[1, 2],'a':{'d':'\\u0041','c':1.50}}",
         "{'a':{'c':1.50,'d':'A'},'b':[1,2]}"},
        /* ids and times go */
        {"cpu_op",
         "{'External id':5,'Ev Idx':1,'Python id':2,'Python parent id':3,'Python module id':4,"
         "'Record function id':0,'Sequence number':9,'Fwd thread id':0,'correlation':3}",
         NULL},
        {"kernel", "{'queued':0,'External id':'x','correlation':7,'est':1}", "{'est':1}"},
        /* what has a column of its own goes there, but only there */
        {"kernel", "{'stream':7,'device':0,'bytes':64,'context':1}", "{'context':1}"},
        {"kernel", "{'stream':'x','device':-1,'bytes':1.5}",
         "{'bytes':1.5,'device':-1,'stream':'x'}"},
        {"kernel", "{'stream':30000000000000000000}", "{'stream':30000000000000000000}"},
        {"cuda_runtime", "{'stream':7,'device':0,'bytes':64,'cbid':211}",
         "{'bytes':64,'cbid':211,'device':0,'stream':7}"},
        {"cpu_op", "{'name':'x','labels':2,'Addr':3,'Bytes':4}",
         "{'Addr':3,'Bytes':4,'labels':2,'name':'x'}"},
        {"cpu_op", "{'Input Dims':[[2]],'Input type':['float'],'x':0}", "{'x':0}"},
        {"cpu_op", "{'':0,'ev idx':1,'Ev Idx ':2}", "{'':0,'Ev Idx ':2,'ev idx':1}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        read_arguments(&trace, cases[i][0], cases[i][1]);
        assert_arguments(&trace, 0, cases[i][2]);
        assert_nothing_noted(&trace);
        trace_free(&trace);
    }
}

static void work_has_columns_of_its_own(void **state)
{
    (void)state;
    struct trace trace;
    read_arguments(&trace, "gpu_memcpy",
                   "{'stream':7,'device':2,'bytes':64,'correlation':11,'External id':5}");
    const struct gpu_slice *gpu = &trace.gpus.items[0];
    assert_int_equal(gpu->slice, 0);
    assert_int_equal(gpu->stream, 7);
    assert_int_equal(gpu->device, 2);
    assert_int_equal(gpu->bytes, 64);
    assert_int_equal(gpu->correlation, 11);
    assert_int_equal(gpu->external, 5);
    trace_free(&trace);
    read_arguments(&trace, "kernel", "{'stream':'x','device':4294967296,'external id':6}");
    gpu = &trace.gpus.items[0];
    assert_int_equal(gpu->stream, NONE);
    assert_int_equal(gpu->device, -1);
    assert_int_equal(gpu->bytes, NONE);
    assert_int_equal(gpu->correlation, NONE);
    assert_int_equal(gpu->external, 6);
    trace_free(&trace);
    read_arguments(&trace, "cuda_runtime", "{'correlation':11,'External Id':5}");
    assert_int_equal(trace.calls.items[0].slice, 0);
    assert_int_equal(trace.calls.items[0].correlation, 11);
    assert_int_equal(trace.calls.items[0].external, 5);
    trace_free(&trace);
    read_arguments(&trace, "cpu_op", "{'Sequence number':42}");
    assert_int_equal(trace.sequences.count, 1);
    assert_int_equal(trace.sequences.items[0].number, 42);
    assert_int_equal(trace.sequences.items[0].slice, 0);
    trace_free(&trace);
}

/* Ids that are no numbers are ids all the same: equal to themselves and to nothing else. */
static void ids_may_be_texts(void **state)
{
    (void)state;
    static const char *const ids[] = {"7", "'x'", "7.5", "100000000000000000000", "'y'", "-7"};
    enum { COUNT = sizeof ids / sizeof *ids };
    struct text text = {0};
    struct trace trace;
    for (int i = 0; i < 2 * COUNT; i++)
        text_format(&text, "%s{'ph':'X','cat':'kernel'," TIMES ",'args':{'correlation':%s}}",
                    i ? "," : "", ids[i % COUNT]);
    READ(&trace, text.items);
    const struct gpu_slice *gpus = trace.gpus.items;
    assert_int_equal(gpus[0].correlation, 7);
    assert_int_equal(gpus[5].correlation, -7);
    for (int i = 0; i < COUNT; i++) {
        assert_int_not_equal(gpus[i].correlation, NONE);
        for (int j = 0; j < COUNT; j++)
            assert_int_equal(gpus[i].correlation == gpus[COUNT + j].correlation, i == j);
    }
    trace_free(&trace);
    text_free(&text);
}

static void equal_arguments_are_shared(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, EVENT(TIMES ",'args':{'a':1,'b':[2]}"),
         EVENT(TIMES ",'args':{'b' : [ 2 ],'a':1,'Ev Idx':8}"),
         EVENT(TIMES ",'args':{'a':1,'b':[3]}"));
    assert_int_equal(intern_count(&trace.arguments), 2);
    assert_arguments(&trace, 0, "{'a':1,'b':[2]}");
    assert_int_equal(slice_of(&trace, 0)->arguments, slice_of(&trace, 1)->arguments);
    assert_arguments(&trace, 2, "{'a':1,'b':[3]}");
    trace_free(&trace);
}

static void calls_share_signatures(void **state)
{
    (void)state;
#define CALL(name, arguments) \
    "{'ph':'X','cat':'cpu_op','name':'" name "'," TIMES ",'args':{" arguments "}}"
#define SIGNATURE                                                                         \
    "'Input Dims':[[2,3],[]],'Input type':['float','Scalar'],'Input Strides':[[3,1],[]]," \
    "'Concrete Inputs':['','1.5']"
#define RESPELLED                                                                   \
    "'Concrete Inputs':[ '', '1.5' ],'Input Strides':[[3, 1], []],'Input type':['f" \
    "loat','Scalar'],'Input dims':[[2, 3], []]"
    struct trace trace;
    READ(&trace, CALL("add", SIGNATURE), CALL("add", "'Ev Idx':7," SIGNATURE ",'x':1"),
         CALL("add", RESPELLED), CALL("mul", SIGNATURE), CALL("add", "'Input Dims':[[2,4],[]]"),
         CALL("add", ""), CALL("mul", "'other':1"));
    uint32_t first = slice_of(&trace, 0)->op;
    assert_int_equal(slice_of(&trace, 1)->op, first);
    assert_int_equal(slice_of(&trace, 2)->op, first);
    assert_int_equal(intern_count(&trace.ops), 5);
    for (uint32_t uid = 3; uid < 7; uid++)
        for (uint32_t other = 2; other < uid; other++)
            assert_int_not_equal(slice_of(&trace, uid)->op, slice_of(&trace, other)->op);
    struct op op = trace_op(&trace, first);
    assert_text(text_of(&trace, op.name), "add");
    assert_text(text_of(&trace, op.dims), "[[2,3],[]]");
    assert_text(text_of(&trace, op.types), "['float','Scalar']");
    assert_text(text_of(&trace, op.strides), "[[3,1],[]]");
    assert_text(text_of(&trace, op.concrete), "['','1.5']");
    op = trace_op(&trace, slice_of(&trace, 5)->op);
    assert_text(text_of(&trace, op.name), "add");
    assert_int_equal(op.dims + op.types + op.strides + op.concrete, 0);
    assert_arguments(&trace, 0, NULL);
    assert_arguments(&trace, 1, "{'x':1}");
    trace_free(&trace);

    /* only ops have one without saying so */
    read_arguments(&trace, "user_annotation", "{'x':1}");
    assert_int_equal(trace.slices.items[0].op, 0);
    trace_free(&trace);
    read_arguments(&trace, "user_annotation", "{'Input Dims':[]}");
    assert_int_not_equal(trace.slices.items[0].op, 0);
    assert_arguments(&trace, 0, NULL);
    trace_free(&trace);
}

static void arguments_that_are_no_object_are_left_out(void **state)
{
    (void)state;
    static const char *const odd[] = {"[1,2]", "'text'", "5", "true", "NaN"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct trace trace;
        read_arguments(&trace, "cpu_op", odd[i]);
        assert_arguments(&trace, 0, NULL);
        assert_noted(&trace, NOTE_VALUE_ODD, 1);
        trace_free(&trace);
    }
}

static void malformed_arguments_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"[1,]", "[tru]", "{'a' 1}",  "01",
                                      "[}",   "1.2.3", "{'a':1,}", "['a':1]"};
    static const char *const keys[] = {"x", "Input Dims", "Concrete Inputs"};
    static const char before[] = "[" SLICE ",\n";
    char sentence[64];
    snprintf(sentence, sizeof sentence, "malformed JSON in the event at byte %zu", strlen(before));
    for (size_t i = 0; i < 3 * sizeof bad / sizeof *bad; i++) {
        struct text text = {0};
        text_format(&text, "%s" EVENT(TIMES ",'args':{'%s':%s}") "," SLICE "]", before, keys[i % 3],
                    bad[i / 3]);
        assert_refused(text.items, &usual, sentence, false);
        assert_refused(text.items, &salvage, sentence, false);
        text_free(&text);
    }
}

static void arguments_may_have_many_keys(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct text text = {0};
    struct trace trace;
    for (int pass = 0; pass < 2; pass++) {
        text_format(&text,
                    "%s{'ph':'X','cat':'cpu_op','name':'n'," TIMES ",'args':", pass ? "," : "[");
        for (unsigned i = 0; i < COUNT; i++)
            text_format(&text, "%s'k%05u':%u", i ? "," : "{", (unsigned)(i * 7919ull % COUNT), i);
        text_add_string(&text, "}}");
    }
    text_add_byte(&text, ']');
    read_trace(&trace, text.items);
    assert_int_equal(trace.slices.count, 2);
    struct view arguments = intern_view(&trace.arguments, slice_of(&trace, 0)->arguments);
    assert_starts(arguments, "{'k00000':0,'k00001':");
    size_t colons = 0;
    for (size_t i = 0; i < arguments.length; i++)
        colons += arguments.bytes[i] == ':';
    assert_int_equal(colons, COUNT);
    assert_int_equal(slice_of(&trace, 1)->arguments, slice_of(&trace, 0)->arguments);
    assert_nothing_noted(&trace);
    trace_free(&trace);
    text_free(&text);
}

/* Whatever is cut from a value, what is kept of it is JSON. */
static void long_arguments_are_cut_or_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *key, *opening, *unit, *closing, *kept;
    } cases[] = {
        {"x", "'", "\\\\", "'", "{'x':'\\\\\\\\"},
        {"x", "'a", "\\'", "'", "{'x':'a\\'\\'"},
        {"x", "'", "\\u00e9", "'", "{'x':'\xC3\xA9\xC3\xA9"},
        {"x", "'a", "\xC3\xA9", "'", "{'x':'a\xC3\xA9\xC3\xA9"},
        {"x", "[0", ",']'", "]", "{'x':null}"},
        {"x", "{'a':[0", ",'}'", "]}", "{'x':null}"},
        {"x", "1", "1", "", "{'x':null}"},
        {"stream", "1", "1", "", "{'stream':null}"},
        {"Input Dims", "[0", ",[2]", "]", NULL},
        {"Concrete Inputs", "'a", "\\'", "'", NULL},
        {"External id", "'", "x", "'", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text text = {0};
        struct trace trace;
        text_format(&text, "{'ph':'X','cat':'kernel'," TIMES ",'args':{'%s':%s", cases[i].key,
                    cases[i].opening);
        add_filled(&text, cases[i].unit, 3 << 20);
        text_format(&text, "%s},'name':'after'}", cases[i].closing);
        READ(&trace, text.items, SLICE);
        assert_int_equal(trace.slices.count, 2);
        assert_name(&trace, 0, "after");
        uint32_t number = slice_of(&trace, 0)->arguments;
        assert_int_equal(number != 0, cases[i].kept != NULL);
        if (number) {
            struct view kept = intern_view(&trace.arguments, number);
            assert_starts(kept, cases[i].kept);
            assert_true(kept.length <= JSON_STRING_KEPT + 10);
            assert_int_equal(kept.bytes[kept.length - 1], '}');
        }
        assert_noted(&trace, NOTE_VALUE_CUT, 1);
        trace_free(&trace);
        text_free(&text);
    }
}

static void deep_arguments_are_refused(void **state)
{
    (void)state;
    struct text text = {0};
    struct trace trace;
    struct error error;
    text_add_string(&text, "[{'ph':'X'," TIMES ",'args':{'x':");
    add_filled(&text, "[", 100000);
    add_filled(&text, "]", 100000);
    text_add_string(&text, "}}]");
    assert_false(read_text(&trace, text.items, &usual, &error));
    assert_non_null(strstr(error.text, "brackets are nested too deep at byte "));
    trace_free(&trace);
    text_free(&text);
}

/* ------------------------------------------------------------------ other events */

static void what_an_event_has_beside_is_counted(void **state)
{
    static const struct {
        const char *event;
        int64_t count;
    } cases[] = {
        {"{'ph':'X','name':'a','ts':1,'dur':1,'tts':5,'stack':[1,2],'cname':'good'}", 2},
        {"{'ph':'X','name':'a','ts':1,'dur':1,'id':7,'args':{'any':1,'name':2}}", 0},
        {"{'ph':'s','cat':'ac2g','id':1,'ts':1,'bp':'e'}", 0},
        {"{'ph':'f','cat':'ac2g','id':1,'ts':1,'bp':'e','id2':{'local':1},'args':{'a':1}}", 2},
        {"{'ph':'i','s':'t','name':'[memory]','ts':1,'args':{'Bytes':1,'Ev Idx':4}}", 0},
        {"{'ph':'i','s':'t','name':'[memory]','ts':1,'args':{'Bytes':1,'finished':true}}", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        READ(&trace, cases[i].event);
        assert_noted(&trace, NOTE_MEMBER_UNUSED, cases[i].count);
        trace_free(&trace);
    }
}

static void values_of_odd_types_are_counted(void **state)
{
    static const struct {
        const char *event;
        int64_t count;
    } cases[] = {
        {"{'ph':'X','name':'a','ts':1,'dur':1,'cat':5}", 1},
        {"{'ph':'X','name':'a','ts':1,'dur':1,'cat':['cpu_op']}", 1},
        {"{'ph':'X','name':'a','ts':1,'dur':1,'cat':null}", 0},
        {"{'ph':'i','name':'[memory]','ts':1,'args':{'Bytes':'many','Addr':1.5,'Device Id':-1}}",
         2},
        {"{'ph':'i','name':'[memory]','ts':1,'args':{'Bytes':null,'Total Reserved':7}}", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        READ(&trace, cases[i].event);
        assert_noted(&trace, NOTE_VALUE_ODD, cases[i].count);
        trace_free(&trace);
    }
}

static void memory_records_are_read(void **state)
{
    (void)state;
    struct trace trace;
    READ(&trace, SLICE,
         "{'ph':'i','cat':'cpu_instant_event','s':'t','name':'[memory]','pid':1,'tid':2,'ts':11.5,"
         "'args':{'Total Reserved':4096,'Total Allocated':2048,'Bytes':-512,"
         "'Addr':140000000000000,'Device Id':3,'Device Type':1,'Ev Idx':4}}",
         "{'ph':'i','name':'[memory]','ts':12,'args':{'Device Id':-1}}",
         "{'ph':'i','name':'[memory]','args':{'Bytes':1}}",
         "{'ph':'i','name':'[memory] ','ts':12}");
    assert_int_equal(trace.memory.count, 2);
    const struct memory_record *record = trace.memory.items;
    assert_int_equal(record[0].time, 11500);
    assert_int_equal(record[0].bytes, -512);
    assert_int_equal(record[0].address, 140000000000000);
    assert_int_equal(record[0].allocated, 2048);
    assert_int_equal(record[0].reserved, 4096);
    assert_int_equal(record[0].device, 3);
    assert_int_equal(record[0].device_type, 1);
    assert_int_equal(record[0].uid, 1);
    assert_int_equal(record[0].place, slice_of(&trace, 0)->place);
    assert_int_equal(record[1].time, 12000);
    assert_int_equal(record[1].bytes, NONE);
    assert_int_equal(record[1].address, NONE);
    assert_int_equal(record[1].allocated, NONE);
    assert_int_equal(record[1].reserved, NONE);
    assert_int_equal(record[1].device, -1);
    assert_int_equal(record[1].device_type, -1);
    assert_int_equal(trace.notes.entries[NOTE_TIME_MISSING].count, 1);
    assert_int_equal(trace.notes.entries[NOTE_TIME_MISSING].uid, 3);
    assert_int_equal(trace.notes.entries[NOTE_PHASE_UNUSED].count, 1);
    assert_int_equal(trace.notes.phases['i'].uid, 4);
    trace_free(&trace);
}

static void arrows_are_read(void **state)
{
    (void)state;
#define ARROW(phase, category, rest) \
    "{'ph':'" phase "','cat':'" category "','name':'a','pid':1,'tid':2" rest "}"
    struct trace trace;
    READ(&trace, ARROW("s", "ac2g", ",'id':5,'ts':1.5"),
         ARROW("f", "ac2g", ",'id':5,'ts':2,'bp':'e'"),
         ARROW("s", "async_cpu_to_gpu", ",'id':'x','ts':3"), ARROW("f", "fwdbwd", ",'id':6,'ts':4"),
         ARROW("s", "other", ",'id':6,'ts':4"), ARROW("s", "ac2g", ",'ts':4"),
         ARROW("s", "ac2g", ",'id':null,'ts':4"), ARROW("f", "ac2g", ",'id':6"),
         ARROW("t", "ac2g", ",'id':6,'ts':4"));
    static const struct flow expected[] = {
        {5, 1500, 0, 1, FLOW_LAUNCH, false},
        {5, 2000, 1, 1, FLOW_LAUNCH, true},
        {0, 3000, 2, 1, FLOW_LAUNCH, false},
        {6, 4000, 3, 1, FLOW_FORWARD_BACKWARD, true},
    };
    assert_int_equal(trace.flows.count, 4);
    for (int i = 0; i < 4; i++) {
        const struct flow *flow = &trace.flows.items[i];
        if (expected[i].id)
            assert_int_equal(flow->id, expected[i].id);
        else
            assert_true(flow->id != NONE && flow->id < -(1ll << 62)); /* a text */
        assert_int_equal(flow->time, expected[i].time);
        assert_int_equal(flow->uid, expected[i].uid);
        assert_int_equal(flow->place, expected[i].place);
        assert_int_equal(flow->kind, expected[i].kind);
        assert_int_equal(flow->is_end, expected[i].is_end);
    }
    assert_place(&trace, 1, "1", "2");
    assert_int_equal(trace.notes.entries[NOTE_FLOW_UNUSED].count, 3);
    assert_int_equal(trace.notes.entries[NOTE_FLOW_UNUSED].uid, 4);
    assert_int_equal(trace.notes.entries[NOTE_TIME_MISSING].uid, 7);
    assert_int_equal(trace.notes.phases['t'].uid, 8);
    trace_free(&trace);
}

/* In the order in which they hold: by time, then the last by its letters first. */
static void labels_are_read(void **state)
{
    (void)state;
#define LABEL(name, arguments) \
    "{'ph':'M','name':'" name "','pid':1,'tid':'t','ts':0,'args':{" arguments "}}"
    struct trace trace;
    READ(&trace, LABEL("process_name", "'name':'pyth\\u006fn'"),
         LABEL("process_labels", "'labels':'GPU 0'"),
         LABEL("process_sort_index", "'sort_index':-5"),
         LABEL("thread_name", "'name':'main','other':1"),
         LABEL("thread_sort_index", "'sort_index':'7'"), LABEL("thread_name", "'labels':'x'"),
         LABEL("num_cores", "'name':'x'"), "{'ph':'M','name':'process_name'}");
    static const struct {
        enum label_kind kind;
        const char *text;
    } expected[] = {
        {LABEL_PROCESS_NAME, "python"},  {LABEL_THREAD_NAME, "main"},
        {LABEL_PROCESS_LABELS, "GPU 0"}, {LABEL_THREAD_SORT, "7"},
        {LABEL_PROCESS_SORT, "-5"},
    };
    assert_int_equal(trace.labels.count, 5);
    for (int i = 0; i < 5; i++) {
        const struct label *label = &trace.labels.items[i];
        assert_int_equal(label->kind, expected[i].kind);
        assert_text(text_of(&trace, label->text), expected[i].text);
        assert_text(text_of(&trace, label->process), "1");
        assert_text(text_of(&trace, label->thread), "'t'");
    }
    assert_noted(&trace, NOTE_METADATA_UNKNOWN, 3);
    assert_int_equal(trace.notes.entries[NOTE_METADATA_UNKNOWN].uid, 5);
    trace_free(&trace);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_come_in_any_order),
    cmocka_unit_test(the_last_of_equal_keys_holds),
    cmocka_unit_test(every_phase_is_used_or_counted),
    cmocka_unit_test(counters_are_sampled),
    cmocka_unit_test(counters_have_one_value_at_a_time),
    cmocka_unit_test(values_of_counters_may_be_odd),
    cmocka_unit_test(ids_are_no_arguments_where_the_phase_comes_last),
    cmocka_unit_test(starts_and_ends_make_slices),
    cmocka_unit_test(slices_that_follow_each_other_at_once_are_told_by_their_order),
    cmocka_unit_test(starts_and_ends_may_be_alone),
    cmocka_unit_test(asynchronous_slices_are_told_by_their_ids),
    cmocka_unit_test(phases_may_be_missing_or_odd),
    cmocka_unit_test(elements_that_are_no_objects_are_counted),
    cmocka_unit_test(notes_tell_where_the_first_one_is),
    cmocka_unit_test(durations_may_be_odd),
    cmocka_unit_test(times_may_be_odd),
    cmocka_unit_test(names_are_read_and_may_be_odd),
    cmocka_unit_test(long_names_are_cut),
    cmocka_unit_test(places_are_named_as_the_file_names_them),
    cmocka_unit_test(long_thread_names_are_places_too),
    cmocka_unit_test(categories_have_many_spellings),
    cmocka_unit_test(unknown_categories_keep_their_names),
    cmocka_unit_test(categories_may_be_too_many),
    cmocka_unit_test(frames_can_be_left_out),
    cmocka_unit_test(arguments_are_kept_as_canonical_json),
    cmocka_unit_test(work_has_columns_of_its_own),
    cmocka_unit_test(ids_may_be_texts),
    cmocka_unit_test(equal_arguments_are_shared),
    cmocka_unit_test(calls_share_signatures),
    cmocka_unit_test(arguments_that_are_no_object_are_left_out),
    cmocka_unit_test(malformed_arguments_are_refused),
    cmocka_unit_test(arguments_may_have_many_keys),
    cmocka_unit_test(long_arguments_are_cut_or_left_out),
    cmocka_unit_test(deep_arguments_are_refused),
    cmocka_unit_test(what_an_event_has_beside_is_counted),
    cmocka_unit_test(values_of_odd_types_are_counted),
    cmocka_unit_test(memory_records_are_read),
    cmocka_unit_test(arrows_are_read),
    cmocka_unit_test(labels_are_read),
};
GROUP(kineto_event, NULL, NULL)
