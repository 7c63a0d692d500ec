# Writes the files that pages use as C arrays, and their addresses, which change with the content:
#   cmake -D FOLDER=... -D TO=... -P api/pages/embed.cmake
# makes TO.c and TO.h.
set(arrays "")
set(rows "")
set(header "/* Made from the files in api/pages. */\n#ifndef CREEL_API_PAGES_CONTENT_H\n")
string(APPEND header "#define CREEL_API_PAGES_CONTENT_H\n")
# macro, file here, name below /static, type
foreach(file "STYLE pages.css yarn.css text/css" "SCRIPT live.js live.js text/javascript"
        "ICON icon.svg creel.svg image/svg+xml")
  separate_arguments(file)
  list(GET file 0 macro)
  list(GET file 1 path)
  list(GET file 2 name)
  list(GET file 3 type)
  file(READ "${FOLDER}/${path}" bytes HEX)
  string(SHA256 hash "${bytes}")
  string(SUBSTRING "${hash}" 0 12 hash)
  string(LENGTH "${bytes}" length)
  math(EXPR length "${length} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n"
         bytes "${bytes}")
  string(APPEND arrays "static const unsigned char ${macro}_bytes[] = {\n${bytes}};\n")
  string(APPEND rows
         "    {\"${name}\", \"${type}\", ${length}, (const char *)${macro}_bytes},\n")
  string(APPEND header "#define API_FILES_${macro} \"/static/${name}?v=${hash}\"\n")
endforeach()
string(APPEND header "#endif\n")
file(WRITE "${TO}.c"
     "/* Made from the files in api/pages. */\n#include \"api/pages/files.h\"\n\n${arrays}\n"
     "const struct api_file api_files[] = {\n${rows}};\n"
     "const size_t api_files_n = sizeof api_files / sizeof *api_files;\n")
file(WRITE "${TO}.h" "${header}")
