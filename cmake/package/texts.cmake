# cmake -DTOOL=... -DTEMPLATE=... -DOUT=... -DVERSION=... -P texts.cmake
#
# Writes the manual page and the shells' completions, as the built tool knows its options.
cmake_minimum_required(VERSION 3.25)
function(ask result option)
  execute_process(COMMAND "${TOOL}" "${option}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

foreach(shell bash zsh fish)
  ask(text --completion=${shell})
  file(WRITE "${OUT}/warplint.${shell}" "${text}")
endforeach()
ask(options --manual-options)
file(READ "${TEMPLATE}" page)
string(REPLACE "@OPTIONS@" "${options}" page "${page}")
string(REPLACE "@VERSION@" "${VERSION}" page "${page}")
file(WRITE "${OUT}/warplint.1" "${page}")
file(ARCHIVE_CREATE OUTPUT "${OUT}/warplint.1.gz" PATHS "${OUT}/warplint.1" FORMAT raw COMPRESSION GZip)
