#include "api/audit/limit.h"

#include <stdio.h>
#include <string.h>

static struct api_audit_count *find_or_add_count(struct api_audit_limit *l, const char *ip)
{
    struct api_audit_count *c;

    for (size_t i = 0; i < l->n; i++)
        if (i == API_AUDIT_ADDRESSES || strcmp(l->of[i].ip, ip) == 0)
            return &l->of[i];
    c = &l->of[l->n++];
    snprintf(c->ip, sizeof c->ip, "%s", l->n > API_AUDIT_ADDRESSES ? "others" : ip);
    return c;
}

bool api_audit_limit_count_and_may_log(struct api_audit_limit *l, const char *ip, int64_t now_us)
{
    struct api_audit_count *c;

    if (l->n == 0)
        l->since_us = now_us;
    c = find_or_add_count(l, ip);
    if (c->lines < API_AUDIT_REFUSALS) {
        c->lines++;
        return true;
    }
    c->left_out++;
    return false;
}

bool api_audit_limit_window_is_over(const struct api_audit_limit *l, int64_t now_us)
{
    return l->n > 0 && now_us - l->since_us >= API_AUDIT_WINDOW_S * INT64_C(1000000);
}
