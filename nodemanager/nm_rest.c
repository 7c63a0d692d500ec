#include "nodemanager/nm_daemon.h"
const struct api_route nm_routes[] = {{0}};
const size_t nm_routes_n = 0;
