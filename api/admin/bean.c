#include "api/admin/bean.h"

#include <pthread.h>
#include <unistd.h>

static char host_name[256];

static void read_host_name(void)
{
    if (gethostname(host_name, sizeof host_name - 1) < 0 || !host_name[0])
        host_name[0] = '-';
}

const char *api_bean_get_host_name(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, read_host_name);
    return host_name;
}

void api_bean_add_if_wanted(const struct api_bean_kind *kind, struct api_bean_sink *sink,
                            const char *tail, unsigned bits, const void *source)
{
    if (api_bean_is_wanted(kind, sink, tail))
        sink->add(sink, kind, tail ? tail : kind->name, bits, source);
}

bool api_bean_is_wanted(const struct api_bean_kind *kind, const struct api_bean_sink *sink,
                        const char *tail)
{
    return sink->wants(sink, kind, tail ? tail : kind->name);
}
