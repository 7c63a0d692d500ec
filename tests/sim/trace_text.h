/* tests/sim/trace_text.h - a text that is read as a trace. */
#ifndef CREEL_TESTS_SIM_TRACE_TEXT_H
#define CREEL_TESTS_SIM_TRACE_TEXT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <CUnit/CUnit.h>

#include "sim/input/source.h"

struct trace_text {
    char *text;
    FILE *in;
    struct sim_source *source;
    struct base_error err;
    struct sim_job job; /* the last one read */
};

/* Opens @text as a trace of the format @kind; @conf NULL: defaults. */
static inline void trace_text_open(struct trace_text *fx, const char *kind, const char *text,
                                   const struct sim_source_conf *conf)
{
    *fx = (struct trace_text){.text = base_strdup(text)};
    fx->in = fmemopen(fx->text, strlen(text), "r");
    CU_ASSERT_PTR_NOT_NULL_FATAL(fx->in);
    fx->source =
        sim_source_open_stream(kind, fx->in, conf ? conf : &(struct sim_source_conf){0}, &fx->err);
    sim_job_init(&fx->job);
}

/* Reads the next job into @fx->job. Returns as sim_source_next_job(). */
static inline int trace_text_next(struct trace_text *fx)
{
    sim_job_clear(&fx->job);
    fx->err = (struct base_error){0};
    return sim_source_next_job(fx->source, &fx->job, &fx->err);
}

static inline void trace_text_close(struct trace_text *fx)
{
    sim_job_clear(&fx->job);
    sim_source_close(fx->source);
    fclose(fx->in);
    free(fx->text);
}

/* Reads @text until a reader refuses it, and compares the first error with @want. */
static inline void trace_text_expect_error(const char *kind, const char *text, const char *want)
{
    struct trace_text fx;
    int rc;

    trace_text_open(&fx, kind, text, NULL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(fx.source);
    while ((rc = trace_text_next(&fx)) > 0)
        ;
    CU_ASSERT(rc < 0);
    CU_ASSERT_STRING_EQUAL(fx.err.text, want);
    if (strcmp(fx.err.text, want) != 0)
        fprintf(stderr, "got  %s\nnot  %s\n", fx.err.text, want);
    trace_text_close(&fx);
}

#endif
