#include "base/acl/acl.h"

#include <string.h>

#define BLANKS " \t\r\n\v\f"

struct part { /* part of a constant text */
    const char *at;
    size_t len;
};

static struct part trim(struct part p)
{
    while (p.len && strchr(BLANKS, *p.at)) {
        p.at++;
        p.len--;
    }
    while (p.len && strchr(BLANKS, p.at[p.len - 1]))
        p.len--;
    return p;
}

static bool equals_text(struct part p, const char *text)
{
    return strlen(text) == p.len && memcmp(p.at, text, p.len) == 0;
}

/* Splits a list at its first blank. */
static void split_list(const char *acl, struct part *users, struct part *groups)
{
    size_t n = strlen(acl), users_n = strcspn(acl, " ");

    *users = (struct part){acl, users_n};
    *groups =
        users_n < n ? (struct part){acl + users_n + 1, n - users_n - 1} : (struct part){acl + n, 0};
}

/* Removes the next name from *@list, without the blanks around it. Returns false at the end. */
static bool take_next_name(struct part *list, struct part *name)
{
    size_t n = 0;

    while (list->len) {
        for (n = 0; n < list->len && list->at[n] != ',' && list->at[n] != '\n'; n++)
            ;
        *name = trim((struct part){list->at, n});
        n += n < list->len; /* the separator */
        list->at += n;
        list->len -= n;
        if (name->len)
            return true;
    }
    return false;
}

static bool list_has(struct part list, const char *wanted)
{
    struct part name;

    while (take_next_name(&list, &name))
        if (equals_text(name, wanted))
            return true;
    return false;
}

static bool is_in_any_group(struct part groups, const struct base_acl_caller *who)
{
    for (size_t i = 0; i < who->groups_n; i++)
        if (list_has(groups, who->groups[i]))
            return true;
    return false;
}

bool base_acl_names_everybody(const char *acl)
{
    struct part users, groups;

    if (!acl)
        return false;
    split_list(acl, &users, &groups);
    return equals_text(trim((struct part){acl, strlen(acl)}), "*") ||
           equals_text(trim(users), "*") || equals_text(trim(groups), "*");
}

enum base_acl_answer base_acl_check(const char *acl, const struct base_acl_caller *who)
{
    struct part users, groups, first, rest;

    if (!who->user)
        return BASE_ACL_YES;
    if (!acl)
        return BASE_ACL_NO;
    split_list(acl, &users, &groups);
    if (base_acl_names_everybody(acl) || list_has(users, who->user))
        return BASE_ACL_YES;
    rest = groups;
    if (!take_next_name(&rest, &first))
        return BASE_ACL_NO;
    if (!who->groups_known)
        return BASE_ACL_ASK_GROUPS;
    return is_in_any_group(groups, who) ? BASE_ACL_YES : BASE_ACL_NO;
}

bool base_acl_names_groups(const char *acl)
{
    static const struct base_acl_caller stranger = {.user = ""};

    return base_acl_check(acl, &stranger) == BASE_ACL_ASK_GROUPS;
}

enum base_acl_answer base_acl_either(enum base_acl_answer a, enum base_acl_answer b)
{
    return a > b ? a : b;
}

enum base_acl_answer base_acl_check_admin(const struct base_acl_rules *rules,
                                          const struct base_acl_caller *who)
{
    if (!who->user || (rules->process && strcmp(rules->process, who->user) == 0))
        return BASE_ACL_YES;
    return base_acl_check(rules->admins, who);
}

enum base_acl_answer base_acl_check_app(const struct base_acl_rules *rules,
                                        const struct base_acl_caller *who, const char *owner,
                                        const char *acl)
{
    if (!rules->enabled || !who->user || (owner && strcmp(owner, who->user) == 0))
        return BASE_ACL_YES;
    return base_acl_either(base_acl_check(acl, who), base_acl_check_admin(rules, who));
}

static void append_names_with_commas(struct part list, struct base_buf *out)
{
    struct part name;

    for (const char *comma = ""; take_next_name(&list, &name); comma = ",") {
        base_buf_adds(out, comma);
        base_buf_add(out, name.at, name.len);
    }
}

void base_acl_format(const char *acl, struct base_buf *out)
{
    struct part users, groups;

    acl = acl ? acl : " ";
    if (equals_text(trim((struct part){acl, strlen(acl)}), "*")) {
        base_buf_adds(out, "*");
        return;
    }
    split_list(acl, &users, &groups);
    append_names_with_commas(users, out);
    base_buf_adds(out, " ");
    append_names_with_commas(groups, out);
}
