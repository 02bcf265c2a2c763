/* capture: how the tests of captures and of merging them write both. Texts are those of reading.h:
 * ' stands for ". */
#pragma once

#include "tests/unit/reading.h"

#include "ingest/capture.h"

#include <sys/stat.h>

/* Events; times are microseconds. */
#define HOST(category, name, ts, dur, arguments)                                                \
    "{'ph':'X','cat':'" category "','name':'" name "','pid':1,'tid':2,'ts':" #ts ",'dur':" #dur \
    ",'args':{" arguments "}}"
#define MARK(name, ts, dur)       HOST("user_annotation", name, ts, dur, "")
#define CALL(name, ts, arguments) HOST("cuda_runtime", name, ts, 5, arguments)
#define OP(name, ts, rows) \
    HOST("cpu_op", name, ts, 50, "'Input Dims':[[" #rows ",4],[4,2]],'Input type':['f','f']")
#define LAUNCH(kernel, ts) CALL("hipLaunchKernel", ts, "'kernel':'" kernel "'")
#define BEGIN(ts)          CALL("hipStreamBeginCapture", ts, "")
#define END(ts)            CALL("hipStreamEndCapture", ts, "")
#define WORK(name, stream, ts, dur, id)                                              \
    "{'ph':'X','cat':'kernel','name':'" name "','pid':0,'tid':" #stream ",'ts':" #ts \
    ",'dur':" #dur ",'args':{'stream':" #stream ",'correlation':" #id "}}"

/* Writes a trace of some events into a folder of the scratch directory. */
#define WRITE(folder, name, ...) \
    write_events(folder, name, (const char *const[]){__VA_ARGS__, NULL})
static inline void write_events(const char *folder, const char *name, const char *const *events)
{
    struct text text = {0};
    char path[100];
    text_add_byte(&text, '[');
    for (int i = 0; events[i]; i++)
        text_format(&text, "%s%s", i ? "," : "", events[i]);
    text_add_byte(&text, ']');
    char *json = json_of(text.items);
    mkdir(scratch_path(folder), 0777);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    scratch_file(path, json, strlen(json));
    memory_free(json);
    text_free(&text);
}

static inline void open_captures(struct captures *captures, const char *folder)
{
    struct error error = {0};
    if (!captures_open(captures, scratch_path(folder), false, &error))
        fail_msg("%s", error.text);
}
