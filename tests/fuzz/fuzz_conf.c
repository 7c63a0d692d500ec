/* Any bytes as a configuration file and as -D: loaded or refused with a message, checked, read;
 * nothing grows without bound. Inputs that reach for devices through XInclude are left out: reading
 * those may not end. */
#include <stdlib.h>
#include <string.h>

#include "base/conf/conf.h"
#include "base/mem.h"
#include "tests/fuzz/fuzz.h"

const char *const creel_fuzz_samples[] = {
    "<?xml "
    "version=\"1.0\"?>\n<configuration>\n<property><name>creel.rm.port</name><value>8088</value></"
    "property>\n"
    "<property><name>creel.scheduler.policy</name><value>fifo</value><final>true</final></"
    "property>\n"
    "</configuration>\n",
    "<configuration><property name=\"a\" value=\"${b}${b}\"/><property name=\"b\" "
    "value=\"${c}${c}\"/>"
    "<property name=\"c\" value=\"${a}\"/></configuration>",
    "<configuration><property><name>x</name><value>${env.HOME:-/root}/${x${y}}</value></property>"
    "<property><name>y</name><value><![CDATA[<>&]]></value></property></configuration>",
    "<configuration xmlns:xi=\"http://www.w3.org/2001/XInclude\"><xi:include "
    "href=\"absent.xml\"><xi:fallback>"
    "<property><name>k</name><value>v</value></property></xi:fallback></xi:include></"
    "configuration>",
    "<!DOCTYPE configuration [<!ENTITY e \"value\"><!ENTITY f "
    "\"&e;&e;\">]><configuration><property><name>n</name>"
    "<value>&f;&f;</value></property></configuration>",
    "creel.rm.port=${creel.nodemanager.port}",
    "creel.mapreduce.split-size=64M",
    NULL,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = base_strndup((const char *)data, size);
    struct base_conf *c = base_conf_new();
    struct base_error err = {0};
    struct base_conf_item item;

    if (!strstr(text, "/dev") && !strstr(text, "/proc")) {
        if (base_conf_load_text(c, "fuzz.xml", (const char *)data, size, &err) < 0)
            base_assert(err.text[0]);
        (void)base_conf_set_arg(c, text, &err);
        if (base_conf_check(c, NULL, &err) == 0) {
            base_assert(base_conf_int(c, "creel.rm.port") <= 65535);
            base_assert(base_conf_int(c, "creel.mapreduce.split-size") >= 1);
            (void)base_conf_bool(c, "creel.rm.insecure");
            (void)base_conf_double(c, "creel.scheduler.slowstart");
        }
        for (size_t i = 0; base_conf_item_at(c, i, &item); i++)
            base_assert(item.name && item.value);
    }
    base_conf_free(c);
    free(text);
    return 0;
}
