# cmake -DTOOL=... -DTEMPLATE=... -DOUT=... -DVERSION=... [-DCOMPLETIONS=ON] -P texts.cmake
#
# Writes the manual page, named as its template, and the shells' completions, as the built tool knows its options.
cmake_minimum_required(VERSION 3.25)
function(ask result option)
  execute_process(COMMAND "${TOOL}" "${option}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

if(COMPLETIONS)
  foreach(shell bash zsh fish)
    ask(text --completion=${shell})
    file(WRITE "${OUT}/warplint.${shell}" "${text}")
  endforeach()
endif()
ask(options --manual-options)
get_filename_component(name "${TEMPLATE}" NAME_WLE)
file(READ "${TEMPLATE}" page)
string(REPLACE "@OPTIONS@" "${options}" page "${page}")
string(REPLACE "@VERSION@" "${VERSION}" page "${page}")
file(WRITE "${OUT}/${name}" "${page}")
file(ARCHIVE_CREATE OUTPUT "${OUT}/${name}.gz" PATHS "${OUT}/${name}" FORMAT raw COMPRESSION GZip)
