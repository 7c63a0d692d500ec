/* Shapes: the exact text of each dialect. Expected strings follow recordings of YARN 3.4.2. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "api/yarn/shape.h"
#include "base/io/json_write.h"
#include "tests/unit/cunit_main.h"
#include "tests/xorshift.h"

#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>"
#define END                                                                                        \
    {                                                                                              \
        0                                                                                          \
    }

struct info {
    int32_t none; /* attributes: an object without members */
    int64_t maximum;
    const char *name, *units;
    int32_t value;
};
struct infos {
    struct api_list list;
};
struct resource {
    int64_t memory;
    int32_t cores;
    struct infos infos;
};
static const struct api_member nothing[] = {END};
static const struct api_shape shape_empty = {.members = nothing};
static const struct api_member info_members[] = {
    API_OBJ(struct info, none, "attributes", &shape_empty, API_ALWAYS),
    API_I64(struct info, maximum, "maximumAllocation", API_ALWAYS),
    API_STR(struct info, name, "name", API_ALWAYS),
    API_STR(struct info, units, "units", API_ALWAYS),
    API_I32(struct info, value, "value", API_ALWAYS),
    END,
};
static const struct api_shape shape_info = {.members = info_members};
static const struct api_member infos_members[] = {
    API_LIST(struct infos, list, "resourceInformation", &shape_info, API_ALWAYS),
    END,
};
static const struct api_shape shape_infos = {.members = infos_members};
static const struct api_member resource_members[] = {
    API_I64(struct resource, memory, "memory", API_ALWAYS),
    API_I32(struct resource, cores, "vCores", API_ALWAYS),
    API_OBJ(struct resource, infos, "resourceInformations", &shape_infos, API_NONEMPTY),
    END,
};
static const struct api_shape shape_resource = {.root = "resource", .members = resource_members};

static void expect(const struct api_shape *shape, enum api_dialect dialect, const void *view,
                   const char *wanted)
{
    struct base_buf b = {0};

    api_shape_encode_document(shape, dialect, view, &b);
    if (strcmp(b.data, wanted) != 0)
        printf("\n  got    %s\n  wanted %s\n", b.data, wanted);
    CU_ASSERT_STRING_EQUAL(b.data, wanted);
    base_buf_free(&b);
}

static void test_resource(void)
{
    struct info info[] = {{0, INT64_MAX, "memory-mb", "Mi", 8192}, {0, 0, "vcores", "", 8}};
    struct resource two = {8192, 8, {{info, 2, sizeof info[0]}}},
                    one = {8192, 8, {{info, 1, sizeof info[0]}}};
    struct resource none = {1, -2, {{NULL, 0, 0}}};

    expect(&shape_resource, API_N_BARE, &two,
           "{\"memory\":8192,\"vCores\":8,\"resourceInformations\":{\"resourceInformation\":["
           "{\"attributes\":{},\"maximumAllocation\":9223372036854775807,\"name\":\"memory-mb\","
           "\"units\":\"Mi\","
           "\"value\":8192},{\"attributes\":{},\"maximumAllocation\":0,\"name\":\"vcores\","
           "\"units\":\"\","
           "\"value\":8}]}}");
    expect(
        &shape_resource, API_M_BARE, &two,
        "{\"memory\":\"8192\",\"vCores\":\"8\",\"resourceInformations\":{\"resourceInformation\":["
        "{\"attributes\":null,\"maximumAllocation\":\"9223372036854775807\",\"name\":\"memory-mb\","
        "\"units\":\"Mi\",\"value\":\"8192\"},{\"attributes\":null,\"maximumAllocation\":\"0\","
        "\"name\":\"vcores\",\"units\":\"\",\"value\":\"8\"}]}}");
    expect(&shape_resource, API_N_WRAPPED, &one,
           "{\"resource\":{\"memory\":8192,\"vCores\":8,\"resourceInformations\":{"
           "\"resourceInformation\":["
           "{\"attributes\":{},\"maximumAllocation\":9223372036854775807,\"name\":\"memory-mb\","
           "\"units\":\"Mi\","
           "\"value\":8192}]}}}");
    expect(
        &shape_resource, API_M_BARE, &one,
        "{\"memory\":\"8192\",\"vCores\":\"8\",\"resourceInformations\":{\"resourceInformation\":"
        "{\"attributes\":null,\"maximumAllocation\":\"9223372036854775807\",\"name\":\"memory-mb\","
        "\"units\":\"Mi\",\"value\":\"8192\"}}}");
    expect(
        &shape_resource, API_XML_DOC, &two,
        XML
        "<resource><memory>8192</memory><vCores>8</"
        "vCores><resourceInformations><resourceInformation>"
        "<attributes/><maximumAllocation>9223372036854775807</maximumAllocation><name>memory-mb</"
        "name>"
        "<units>Mi</units><value>8192</value></"
        "resourceInformation><resourceInformation><attributes/>"
        "<maximumAllocation>0</maximumAllocation><name>vcores</name><units></units><value>8</value>"
        "</resourceInformation></resourceInformations></resource>");
    expect(&shape_resource, API_N_BARE, &none, "{\"memory\":1,\"vCores\":-2}");
    expect(&shape_resource, API_M_BARE, &none, "{\"memory\":\"1\",\"vCores\":\"-2\"}");
    expect(&shape_resource, API_XML_DOC, &none,
           XML "<resource><memory>1</memory><vCores>-2</vCores></resource>");
}

struct app {
    const char *id, *note;
    float progress;
    double share;
    bool unmanaged;
    struct api_list seconds, tags;
    const struct resource *used;
};
static const struct api_member app_members[] = {
    API_STR(struct app, id, "id", API_ALWAYS),
    API_STR(struct app, note, "diagnostics", API_ALWAYS),
    API_F32(struct app, progress, "progress", API_ALWAYS),
    API_F64(struct app, share, "share", API_ALWAYS),
    API_MAP(struct app, seconds, "resourceSecondsMap", API_ALWAYS),
    API_STRLIST(struct app, tags, "tag", API_ALWAYS),
    API_BOOL(struct app, unmanaged, "unmanagedApplication", API_ALWAYS),
    API_OBJPTR(struct app, used, "used", &shape_resource, API_ALWAYS),
    END,
};
static const struct api_shape shape_app = {.root = "app", .members = app_members};

static void test_maps_and_string_lists(void)
{
    struct api_pair pairs[] = {{"memory-mb", "6657"}, {"vcores", "25"}};
    const char *tags[] = {"a", "b"};
    struct app app = {.id = "application_1_0001", .progress = 100, .share = 0.5};

    app.seconds = (struct api_list){pairs, 2, sizeof pairs[0]};
    app.tags = (struct api_list){tags, 2, sizeof tags[0]};
    app.note = "";
    expect(&shape_app, API_N_WRAPPED, &app,
           "{\"app\":{\"id\":\"application_1_0001\",\"diagnostics\":\"\",\"progress\":100.0,"
           "\"share\":0.5,"
           "\"resourceSecondsMap\":{\"entry\":{\"key\":\"memory-mb\",\"value\":\"6657\"},"
           "\"entry\":{\"key\":\"vcores\",\"value\":\"25\"}},\"tag\":[\"a\",\"b\"],"
           "\"unmanagedApplication\":false}}");
    expect(&shape_app, API_M_BARE, &app,
           "{\"id\":\"application_1_0001\",\"diagnostics\":\"\",\"progress\":\"100.0\",\"share\":"
           "\"0.5\","
           "\"resourceSecondsMap\":{\"entry\":[{\"key\":\"memory-mb\",\"value\":\"6657\"},"
           "{\"key\":\"vcores\",\"value\":\"25\"}]},\"tag\":[\"a\",\"b\"],\"unmanagedApplication\":"
           "\"false\"}");
    expect(&shape_app, API_XML_DOC, &app,
           XML
           "<app><id>application_1_0001</id><diagnostics></diagnostics><progress>100.0</progress>"
           "<share>0.5</share><resourceSecondsMap><entry><key>memory-mb</key><value>6657</value></"
           "entry><entry>"
           "<key>vcores</key><value>25</value></entry></resourceSecondsMap><tag>a</tag><tag>b</tag>"
           "<unmanagedApplication>false</unmanagedApplication></app>");
    app.seconds.n = app.tags.n = 1;
    app.id = app.note = NULL;
    app.unmanaged = true;
    expect(&shape_app, API_N_BARE, &app,
           "{\"progress\":100.0,\"share\":0.5,\"resourceSecondsMap\":{\"entry\":{\"key\":\"memory-"
           "mb\","
           "\"value\":\"6657\"}},\"tag\":[\"a\"],\"unmanagedApplication\":true}");
    expect(&shape_app, API_M_BARE, &app,
           "{\"progress\":\"100.0\",\"share\":\"0.5\",\"resourceSecondsMap\":{\"entry\":{\"key\":"
           "\"memory-mb\","
           "\"value\":\"6657\"}},\"tag\":\"a\",\"unmanagedApplication\":\"true\"}");
    app.seconds.n = app.tags.n = 0;
    expect(&shape_app, API_N_BARE, &app,
           "{\"progress\":100.0,\"share\":0.5,\"resourceSecondsMap\":{},\"unmanagedApplication\":"
           "true}");
    expect(&shape_app, API_M_BARE, &app,
           "{\"progress\":\"100.0\",\"share\":\"0.5\",\"resourceSecondsMap\":null,"
           "\"unmanagedApplication\":\"true\"}");
    expect(&shape_app, API_XML_DOC, &app,
           XML "<app><progress>100.0</progress><share>0.5</share><resourceSecondsMap/>"
               "<unmanagedApplication>true</unmanagedApplication></app>");
}

struct sparse {
    const char *s;
    int32_t i;
    int64_t l;
    float f;
    double d;
    bool b;
    struct api_list map;
};
static const struct api_member sparse_members[] = {
    API_STR(struct sparse, s, "s", API_NONEMPTY),   API_I32(struct sparse, i, "i", API_NONEMPTY),
    API_I64(struct sparse, l, "l", API_NONEMPTY),   API_F32(struct sparse, f, "f", API_NONEMPTY),
    API_F64(struct sparse, d, "d", API_NONEMPTY),   API_BOOL(struct sparse, b, "b", API_NONEMPTY),
    API_MAP(struct sparse, map, "m", API_NONEMPTY), END,
};
static const struct api_shape shape_sparse = {.root = "sparse", .members = sparse_members};

static void test_presence(void)
{
    struct sparse sparse = {.s = ""};

    expect(&shape_sparse, API_N_WRAPPED, &sparse, "{\"sparse\":{}}");
    expect(&shape_sparse, API_N_BARE, &sparse, "{}");
    expect(&shape_sparse, API_M_BARE, &sparse, "{}"); /* an empty document, not an empty element */
    expect(&shape_sparse, API_XML_DOC, &sparse, XML "<sparse/>");
    sparse = (struct sparse){.s = "x", .i = -1, .l = INT64_MIN, .f = 0.25F, .d = -1e-5, .b = true};
    expect(&shape_sparse, API_N_BARE, &sparse,
           "{\"s\":\"x\",\"i\":-1,\"l\":-9223372036854775808,\"f\":0.25,\"d\":-1.0E-5,\"b\":true}");
}

struct leaf {
    const char *name;
};
struct queues {
    struct api_list list;
};
struct scheduler {
    struct queues queues;
};
static const struct api_member leaf_members[] = {
    API_STR(struct leaf, name, "queueName", API_ALWAYS), END};
static const struct api_shape shape_leaf = {.members = leaf_members,
                                            .xsi_type = "fairSchedulerLeafQueueInfo"};
static const struct api_shape shape_parent = {.members = leaf_members};
static const struct api_member queues_members[] = {
    API_ANYLIST(struct queues, list, "queue", API_ALWAYS), END};
static const struct api_shape shape_queues = {.members = queues_members};
static const struct api_member scheduler_members[] = {
    API_OBJ(struct scheduler, queues, "childQueues", &shape_queues, API_ALWAYS), END};
static const struct api_shape shape_scheduler = {
    .root = "schedulerInfo", .members = scheduler_members, .xsi_type = "fairScheduler"};

static void test_polymorphic(void)
{
    struct leaf a = {"root.a"}, b = {"root.b"};
    struct api_any any[] = {{&shape_leaf, &a}, {&shape_parent, &b}};
    struct scheduler s = {{{any, 2, sizeof any[0]}}};

    expect(&shape_scheduler, API_N_WRAPPED, &s,
           "{\"schedulerInfo\":{\"type\":\"fairScheduler\",\"childQueues\":{\"queue\":["
           "{\"type\":\"fairSchedulerLeafQueueInfo\",\"queueName\":\"root.a\"},{\"queueName\":"
           "\"root.b\"}]}}}");
    expect(&shape_scheduler, API_XML_DOC, &s,
           XML "<schedulerInfo xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
               "xsi:type=\"fairScheduler\">"
               "<childQueues><queue "
               "xsi:type=\"fairSchedulerLeafQueueInfo\"><queueName>root.a</queueName></queue>"
               "<queue><queueName>root.b</queueName></queue></childQueues></schedulerInfo>");
    s.queues.list.n = 0;
    expect(&shape_scheduler, API_N_WRAPPED, &s,
           "{\"schedulerInfo\":{\"type\":\"fairScheduler\",\"childQueues\":{}}}");
    expect(&shape_queues, API_M_BARE, &s.queues, "{}");
}

static void list(enum api_dialect d, size_t n, const char *wanted)
{
    static const char *const names[] = {"a", "b"};
    struct base_buf b = {0};

    api_shape_open_list("apps", "app", d, &b);
    for (size_t i = 0; i < n; i++) {
        struct leaf leaf = {names[i]};

        api_shape_add_list_item("app", &shape_parent, d, &leaf, i, &b);
    }
    api_shape_close_list("apps", d, n, &b);
    CU_ASSERT_STRING_EQUAL(b.data, wanted);
    base_buf_free(&b);
}

static void test_list_in_pieces(void)
{
    list(API_N_WRAPPED, 0, "{\"apps\":{}}");
    list(API_N_WRAPPED, 1, "{\"apps\":{\"app\":[{\"queueName\":\"a\"}]}}");
    list(API_N_WRAPPED, 2, "{\"apps\":{\"app\":[{\"queueName\":\"a\"},{\"queueName\":\"b\"}]}}");
    list(API_XML_DOC, 0, XML "<apps/>");
    list(API_XML_DOC, 2,
         XML "<apps><app><queueName>a</queueName></app><app><queueName>b</queueName></app></apps>");
}

static void test_java_numbers(void)
{
    static const struct {
        double v;
        int is_float;
        const char *text;
    } cases[] = {
        {0, 0, "0.0"},
        {-0.0, 0, "-0.0"},
        {1, 1, "1.0"},
        {100, 1, "100.0"},
        {12.5, 1, "12.5"},
        {1e-4, 0, "1.0E-4"},
        {1e-3, 0, "0.001"},
        {0.00123, 0, "0.00123"},
        {9.99e-4, 1, "9.99E-4"},
        {9999999, 0, "9999999.0"},
        {9999999.5, 0, "9999999.5"},
        {1e7, 0, "1.0E7"},
        {12345678, 0, "1.2345678E7"},
        {1e21, 0, "1.0E21"},
        {0.1, 0, "0.1"},
        {0.1, 1, "0.1"},
        {0.1F, 0, "0.10000000149011612"},
        {1.0 / 3, 0, "0.3333333333333333"},
        {1.0 / 3, 1, "0.33333334"},
        {-2.5, 0, "-2.5"},
        {DBL_MAX, 0, "1.7976931348623157E308"},
        {DBL_MIN, 0, "2.2250738585072014E-308"},
        {FLT_MAX, 1, "3.4028235E38"},
        {14.262601F, 1, "14.262601"},                  /* memUtilization of a recorded node */
        {1.4990006685256958, 0, "1.4990006685256958"}, /* nodeCPUUsage */
        {74.950035F, 1, "74.950035"},
        {16777216, 1, "1.6777216E7"},
        {INFINITY, 0, "Infinity"},
        {-INFINITY, 1, "-Infinity"},
        {NAN, 0, "NaN"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct base_buf b = {0};

        api_java_add_float(&b, cases[i].v, cases[i].is_float);
        if (strcmp(b.data, cases[i].text) != 0)
            printf("\n  got %s, wanted %s\n", b.data, cases[i].text);
        CU_ASSERT_STRING_EQUAL(b.data, cases[i].text);
        base_buf_free(&b);
    }
}

/* Whatever is printed reads back as the same value. */
static void test_java_numbers_round_trip(void)
{
    uint64_t x = 88172645463325252ULL;

    for (int i = 0; i < 20000; i++) {
        struct base_buf b = {0};
        double d;
        float f;
        uint32_t bits;

        xorshift_next(&x);
        memcpy(&d, &x, sizeof d);
        bits = (uint32_t)x;
        memcpy(&f, &bits, sizeof f);
        if (isnan(d) || isnan(f))
            continue;
        api_java_add_float(&b, d, 0);
        CU_ASSERT_EQUAL(strtod(b.data, NULL), d);
        base_buf_clear(&b);
        api_java_add_float(&b, (double)f, 1);
        CU_ASSERT_EQUAL(strtof(b.data, NULL), f);
        base_buf_free(&b);
    }
}

/* Writes the shortest decimal number that reads back as @v, found by trying. */
static void print_shortest(double v, bool is_float, char out[static 40])
{
    for (int p = 0; p < 17; p++) {
        snprintf(out, 40, "%.*e", p, v);
        if (is_float ? strtof(out, NULL) == (float)v : strtod(out, NULL) == v)
            return;
    }
}

/* Parts of a whole, as most values are, have no digit more than they need to read back as the same
 * value, and of all such numbers the nearest is printed. */
static void test_java_numbers_are_shortest(void)
{
    uint64_t x = 88172645463325252ULL;

    for (int i = 0; i < 100000; i++) {
        bool is_float = i % 2;
        char wanted[40], got[40];
        struct base_buf b = {0};
        double v;

        xorshift_next(&x);
        v = (double)(x % 100003) * (double)(x >> 40 & 0xfff) / (double)(x >> 20 & 0x3ff);
        if (is_float)
            v = (double)(float)v;
        if (!(v >= 1e-3 && v < 1e7))
            continue;
        api_java_add_float(&b, v, is_float);
        print_shortest(v, is_float, wanted);
        print_shortest(strtod(b.data, NULL), false, got); /* the same number in the same form */
        CU_ASSERT_STRING_EQUAL(got, wanted);
        base_buf_free(&b);
    }
}

/* ---- objects whose text is copied from an equal one ---- */
struct amount {
    int64_t n;
};
struct row {
    struct amount plain, shown_unless_empty;
};
struct rows {
    struct api_list list;
};

static bool is_equal_amount(const void *a, const void *b)
{
    return ((const struct amount *)a)->n == ((const struct amount *)b)->n;
}

static const struct api_member amount_members[] = {API_I64(struct amount, n, "n", API_NONEMPTY),
                                                   {.kind = API_K_END}};
static const struct api_shape shape_amount = {.members = amount_members};
static const struct api_shape shape_copied = {.members = amount_members,
                                              .is_equal = is_equal_amount};
#define ROW_MEMBERS(shape)                                                                         \
    {                                                                                              \
        API_OBJ(struct row, shown_unless_empty, "shown", shape, API_NONEMPTY),                     \
            API_OBJ(struct row, plain, "plain", shape, API_ALWAYS),                                \
        {                                                                                          \
            .kind = API_K_END                                                                      \
        }                                                                                          \
    }
static const struct api_member row_members[] = ROW_MEMBERS(&shape_amount);
static const struct api_member copied_row_members[] = ROW_MEMBERS(&shape_copied);
static const struct api_shape shape_row = {.members = row_members};
static const struct api_shape shape_copied_row = {.members = copied_row_members};
static const struct api_member rows_members[] = {
    API_LIST(struct rows, list, "row", &shape_row, API_ALWAYS), {.kind = API_K_END}};
static const struct api_member copied_rows_members[] = {
    API_LIST(struct rows, list, "row", &shape_copied_row, API_ALWAYS), {.kind = API_K_END}};

static void test_copied_objects(void)
{
    static const struct api_shape shape_rows = {.root = "rows", .members = rows_members},
                                  shape_copied_rows = {.root = "rows",
                                                       .members = copied_rows_members};
    uint64_t x = 88172645463325252ULL;

    for (int i = 0; i < 200; i++) {
        struct row v[40];
        struct rows rows = {{v, 40, sizeof v[0]}};

        for (int k = 0; k < 40; k++) {
            v[k].plain.n = (int64_t)(xorshift_next(&x) % 7);
            v[k].shown_unless_empty.n = (int64_t)(xorshift_next(&x) % 4);
        }
        for (enum api_dialect d = API_N_WRAPPED; d <= API_XML_DOC; d++) {
            struct base_buf wanted = {0}, got = {0};

            api_shape_encode_document(&shape_rows, d, &rows, &wanted);
            api_shape_encode_document(&shape_copied_rows, d, &rows, &got);
            CU_ASSERT_STRING_EQUAL(got.data, wanted.data);
            base_buf_free(&wanted);
            base_buf_free(&got);
        }
    }
}

/* ---- members whose text is copied from the last object of the shape ---- */
struct thing {
    int64_t number;
    const char *text;
    struct amount part;
    int32_t small;
    float single;
    double twice;
    bool yes;
    struct api_list others; /* things of several shapes, more than the encoder remembers */
    const struct thing *inner;
    struct api_list words, pairs, amounts;
};
static const struct api_shape shape_thing;
static const struct api_member thing_members[] = {
    API_I64(struct thing, number, "number", API_NONEMPTY),
    API_STR(struct thing, text, "text", API_NONEMPTY),
    API_OBJ(struct thing, part, "part", &shape_amount, API_NONEMPTY),
    API_I32(struct thing, small, "small", API_ALWAYS),
    API_OBJPTR(struct thing, inner, "inner", &shape_thing, API_ALWAYS),
    API_ANYLIST(struct thing, others, "others", API_ALWAYS),
    API_F32(struct thing, single, "single", API_ALWAYS),
    API_F64(struct thing, twice, "twice", API_NONEMPTY),
    API_BOOL(struct thing, yes, "yes", API_NONEMPTY),
    API_STRLIST(struct thing, words, "words", API_ALWAYS),
    API_MAP(struct thing, pairs, "pairs", API_NONEMPTY),
    API_LIST(struct thing, amounts, "amounts", &shape_amount, API_ALWAYS),
    END,
};
static const struct api_shape shape_thing = {.members = thing_members};

/* Appends a thing whose members are encoded one by one, in objects that are not remembered. */
static void add_thing_by_members(const struct thing *t, enum api_dialect dialect,
                                 struct base_buf *out)
{
    size_t begun = out->len + 1;

    base_buf_adds(out, "{");
    for (const struct api_member *m = thing_members; m->kind != API_K_END; m++) {
        const struct api_member only[] = {*m, END};
        const struct api_shape shape = {.members = only};
        struct base_buf one = {0};

        if (m->kind != API_K_OBJPTR) {
            api_shape_encode_document(&shape, dialect, t, &one);
        } else if (t->inner) {
            base_buf_adds(&one, "{\"inner\":");
            add_thing_by_members(t->inner, dialect, &one);
            base_buf_adds(&one, "}");
        }
        if (one.len > 2) {
            base_buf_adds(out, out->len > begun ? "," : "");
            base_buf_add(out, one.data + 1, one.len - 2);
        }
        base_buf_free(&one);
    }
    base_buf_adds(out, "}");
}

static void choose_thing(uint64_t *x, struct thing *t, const struct thing *inner)
{
    static const char *const texts[] = {NULL, "", "a", "b"};
    static const char *const words[] = {"v", "w", "w"};
    static const struct api_pair pairs[] = {{"k", "v"}, {"k", NULL}, {"k", NULL}};
    static const struct amount amounts[] = {{1}, {0}, {0}};
    static const struct info info = {0, 1, "name", "", 2};
    static const struct api_shape shapes[] = {{.members = info_members}, {.members = info_members},
                                              {.members = info_members}, {.members = info_members},
                                              {.members = info_members}, {.members = info_members}};
    static const struct api_any others[] = {{&shapes[0], &info}, {&shapes[1], &info},
                                            {&shapes[2], &info}, {&shapes[3], &info},
                                            {&shapes[4], &info}, {&shapes[5], &info}};
#define ANY_OF(list)                                                                               \
    (struct api_list){&(list)[xorshift_next(x) % 2], xorshift_next(x) % 3, sizeof(list)[0]}

    *t = (struct thing){.number = (int64_t)(xorshift_next(x) % 2),
                        .text = texts[xorshift_next(x) % 4],
                        .part = {(int64_t)(xorshift_next(x) % 2)},
                        .small = (int32_t)(xorshift_next(x) % 2),
                        .single = (float)(xorshift_next(x) % 2) / 2,
                        .twice = (double)(xorshift_next(x) % 2) / 4,
                        .yes = xorshift_next(x) % 2,
                        .others = {others, xorshift_next(x) % 2 * 6, sizeof others[0]},
                        .inner = xorshift_next(x) % 2 ? inner : NULL,
                        .words = ANY_OF(words),
                        .pairs = ANY_OF(pairs),
                        .amounts = ANY_OF(amounts)};
#undef ANY_OF
}

static void test_equal_members(void)
{
    static const struct api_member all_members[] = {
        API_LIST(struct rows, list, "thing", &shape_thing, API_ALWAYS), END};
    static const struct api_shape shape_all = {.members = all_members};
    uint64_t x = 88172645463325252ULL;

    for (int i = 0; i < 500; i++) {
        struct thing v[20], inner[20];
        struct rows all = {{v, 20, sizeof v[0]}};

        for (int k = 0; k < 20; k++) {
            choose_thing(&x, &inner[k], k ? &inner[k - 1] : NULL);
            choose_thing(&x, &v[k], &inner[k]);
        }
        for (enum api_dialect d = API_N_BARE; d <= API_M_BARE; d++) {
            struct base_buf wanted = {0}, got = {0};

            for (int k = 0; k < 20; k++) {
                base_buf_adds(&wanted, k ? "," : "{\"thing\":[");
                add_thing_by_members(&v[k], d, &wanted);
            }
            base_buf_adds(&wanted, "]}");
            api_shape_encode_document(&shape_all, d, &all, &got);
            CU_ASSERT_STRING_EQUAL(got.data, wanted.data);
            base_buf_free(&wanted);
            base_buf_free(&got);
        }
    }
}

static void test_text(void)
{
    static const struct {
        const char *in, *json, *xml;
    } cases[] = {
        {"", "\"\"", ""},
        {"full /\"\xC3\xA9", "\"full /\\\"\xC3\xA9\"", "full /\"\xC3\xA9"}, /* as recorded */
        {"<a & b>", "\"<a & b>\"", "&lt;a &amp; b&gt;"},
        {"a\nb\tc\rd", "\"a\\nb\\tc\\rd\"", "a\nb\tc&#13;d"},
        {"\\ \x01 \x1f \b\f", "\"\\\\ \\u0001 \\u001f \\b\\f\"",
         "\\ \xEF\xBF\xBD \xEF\xBF\xBD \xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xFF|\xC3|\xE2\x82|\xED\xA0\x80|\xC0\xAF", /* not UTF-8 */
         "\"\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|"
         "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|"
         "\xEF\xBF\xBD\xEF\xBF\xBD\"",
         "\xEF\xBF\xBD|\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD|\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD|"
         "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xF0\x9F\x90\x9F \xE2\x82\xAC", "\"\xF0\x9F\x90\x9F \xE2\x82\xAC\"",
         "\xF0\x9F\x90\x9F \xE2\x82\xAC"},
        {"\xF0\x9F\x90", "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"",
         "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct base_buf b = {0};

        base_json_quote(&b, cases[i].in);
        CU_ASSERT_STRING_EQUAL(b.data, cases[i].json);
        base_buf_clear(&b);
        base_buf_adds(&b, "");
        api_xml_add_text(&b, cases[i].in);
        CU_ASSERT_STRING_EQUAL(b.data ? b.data : "", cases[i].xml);
        base_buf_free(&b);
    }
}

/* Plain bytes of a string are copied eight at a time: a byte that has to be escaped is found in
 * every place. */
static void test_every_byte_in_every_place(void)
{
    enum { LEN = 20 };

    for (int c = 1; c < 256; c++) {
        struct base_buf alone = {0};

        base_json_quote(&alone, (char[]){(char)c, '\0'});
        for (int at = 0; at < LEN; at++) {
            struct base_buf got = {0}, wanted = {0};
            char text[LEN + 1];

            memset(text, 'x', LEN);
            text[LEN] = '\0';
            text[at] = (char)c;
            base_json_quote(&got, text);
            base_buf_addf(&wanted, "\"%.*s%.*s%s\"", at, text, (int)alone.len - 2, alone.data + 1,
                          text + at + 1);
            CU_ASSERT_STRING_EQUAL(got.data, wanted.data);
            CU_ASSERT_EQUAL(got.len, wanted.len);
            base_buf_free(&got);
            base_buf_free(&wanted);
        }
        base_buf_free(&alone);
    }
}

static const struct cunit_case cases[] = {
    {"resource in all dialects", test_resource},
    {"maps and string lists", test_maps_and_string_lists},
    {"presence", test_presence},
    {"polymorphic elements", test_polymorphic},
    {"list in pieces", test_list_in_pieces},
    {"numbers as Java prints them", test_java_numbers},
    {"numbers read back", test_java_numbers_round_trip},
    {"Java's numbers are shortest", test_java_numbers_are_shortest},
    {"objects that are copied", test_copied_objects},
    {"members that are copied", test_equal_members},
    {"JSON and XML text", test_text},
    {"every byte in every place", test_every_byte_in_every_place},
};
CUNIT_MAIN("api_shape", cases)
