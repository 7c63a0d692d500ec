#include "rm/daemon/audit_limit.h"

#include <stdio.h>
#include <string.h>

static struct rm_audit_count *find_or_add_count(struct rm_audit_limit *l, const char *ip)
{
    struct rm_audit_count *c;

    for (size_t i = 0; i < l->n; i++)
        if (i == RM_AUDIT_ADDRESSES || strcmp(l->of[i].ip, ip) == 0)
            return &l->of[i];
    c = &l->of[l->n++];
    snprintf(c->ip, sizeof c->ip, "%s", l->n > RM_AUDIT_ADDRESSES ? "others" : ip);
    return c;
}

bool rm_audit_limit_count_and_may_log(struct rm_audit_limit *l, const char *ip, int64_t now_us)
{
    struct rm_audit_count *c;

    if (l->n == 0)
        l->since_us = now_us;
    c = find_or_add_count(l, ip);
    if (c->lines < RM_AUDIT_REFUSALS) {
        c->lines++;
        return true;
    }
    c->left_out++;
    return false;
}

bool rm_audit_limit_window_is_over(const struct rm_audit_limit *l, int64_t now_us)
{
    return l->n > 0 && now_us - l->since_us >= RM_AUDIT_WINDOW_S * INT64_C(1000000);
}
