# Writes the leading comment of each rule file as a raw string: cmake -DOUTPUT=... -DFILES=a.cpp,b.cpp -P Pages.cmake
# Square brackets and semicolons are special in CMake's lists, so pages are only ever handled as quoted strings.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "," ";" files "${FILES}")
set(pages "")
foreach(file IN LISTS files)
  file(READ "${file}" text)
  if(NOT text MATCHES "^(//[^\n]*\n)+")
    message(FATAL_ERROR "${file} has no leading comment")
  endif()
  set(page "${CMAKE_MATCH_0}")
  string(REGEX REPLACE "//===-[^\n]*\n" "" page "${page}") # the frame around the page
  # Each match takes the line's end before it along: "^" would match again behind what was taken away, and so
  # take comments off the pages' own code.
  string(REGEX REPLACE "\n// ?" "\n" page "\n${page}")
  string(SUBSTRING "${page}" 1 -1 page)
  get_filename_component(name "${file}" NAME_WE)
  string(REGEX REPLACE "([a-z])([A-Z])" "\\1-\\2" name "${name}")
  string(TOLOWER "${name}" name)
  string(LENGTH "${page}" length)
  # The standard promises 65536 characters for a string literal; a page that long is no page anyway.
  if(length GREATER 60000 OR page MATCHES "\\)page\"")
    message(FATAL_ERROR "${file}: the leading comment does not fit a raw string")
  endif()
  string(APPEND pages "{\"${name}\", R\"page(${page})page\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "${pages}")
