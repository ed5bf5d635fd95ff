#[[
  warplint_add_target(NAME [TARGETS target...] [OPTIONS option...] [FAIL_ON_FINDINGS] [SARIF file])

Adds a target that analyses the CUDA sources of other targets and prints one report. Each file is a build step of its
own: it runs again when the file, a header, a .warplint or its compile command has changed.

  TARGETS           default: all targets of this folder and those below that exist already
  OPTIONS           warplint's, e.g. --checks=-global-gather
  FAIL_ON_FINDINGS  warnings count as errors; errors fail the target always
  SARIF             also writes this file (relative to the current binary folder)

Flags come from compile_commands.json, which the Ninja and Makefile generators write.
]]
set(_WARPLINT_STEP "${CMAKE_CURRENT_LIST_DIR}/warplint-step.cmake")

function(warplint_add_target NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "FAIL_ON_FINDINGS" "SARIF" "TARGETS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warplint_add_target(${NAME}): unknown argument: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "warplint_add_target(${NAME}) needs a Ninja or Makefile generator, which write "
                        "compile_commands.json; this is '${CMAKE_GENERATOR}'")
  endif()
  if(NOT ARG_TARGETS)
    _warplint_targets_below("${CMAKE_CURRENT_SOURCE_DIR}" ARG_TARGETS)
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${NAME}.warplint")
  if(ARG_FAIL_ON_FINDINGS)
    list(APPEND ARG_OPTIONS "--warnings-as-errors=*")
  endif()
  _warplint_write_words("${folder}/options.rsp" "${ARG_OPTIONS}")

  set(all "")
  foreach(target IN LISTS ARG_TARGETS)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "warplint_add_target(${NAME}): there is no target '${target}' (yet)")
    endif()
    _warplint_cuda_sources(${target} sources)
    if(sources)
      set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
    endif()
    list(APPEND all ${sources})
  endforeach()
  list(REMOVE_DUPLICATES all)
  if(NOT all)
    message(FATAL_ERROR "warplint_add_target(${NAME}): no CUDA source in the targets '${ARG_TARGETS}'")
  endif()

  set(reports "")
  foreach(source IN LISTS all)
    get_filename_component(stem "${source}" NAME)
    string(MD5 id "${source}")
    string(SUBSTRING "${id}" 0 8 id)
    set(report "${folder}/${stem}-${id}.json")
    file(RELATIVE_PATH shown "${CMAKE_SOURCE_DIR}" "${source}")
    add_custom_command(OUTPUT "${report}"
      COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:warplint::warplint>" "-DREPORT=${report}"
              "-DDEPENDENCIES=${report}.d" "-DWHAT=${shown}" -P "${_WARPLINT_STEP}" --
              -p "${CMAKE_BINARY_DIR}" --format=json "@${folder}/options.rsp" "${source}"
      DEPENDS "${source}" "${folder}/options.rsp" "${CMAKE_BINARY_DIR}/compile_commands.json"
              "$<TARGET_FILE:warplint::warplint>"
      DEPFILE "${report}.d"
      COMMENT "warplint ${shown}"
      VERBATIM)
    list(APPEND reports "${report}")
  endforeach()
  _warplint_write_words("${folder}/reports.rsp" "${reports}")

  set(written "")
  if(ARG_SARIF)
    get_filename_component(written "${ARG_SARIF}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
    add_custom_command(OUTPUT "${written}"
      COMMAND "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:warplint::warplint>" "-DREPORT=${written}" "-DWHAT=${ARG_SARIF}"
              -P "${_WARPLINT_STEP}" -- merge --format=sarif "@${folder}/reports.rsp"
      DEPENDS ${reports} "${folder}/reports.rsp"
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" # names are relative to the repository, or else to this
      COMMENT "warplint ${ARG_SARIF}"
      VERBATIM)
  endif()
  # Prints the findings of all files, changed or not, and ends with their exit status.
  add_custom_target(${NAME}
    COMMAND warplint::warplint merge --format=text "@${folder}/reports.rsp"
    DEPENDS ${reports} ${written}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMENT "${NAME}: findings"
    VERBATIM)
endfunction()

# All that can have CUDA sources, in a folder and those that it adds.
function(_warplint_targets_below folder result)
  get_property(found DIRECTORY "${folder}" PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY "${folder}" PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS below)
    _warplint_targets_below("${each}" more)
    list(APPEND found ${more})
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A target's CUDA sources, absolute. What a generator expression names is not known yet, and is said to be left out.
function(_warplint_cuda_sources target result)
  get_target_property(names ${target} SOURCES)
  get_target_property(source_folder ${target} SOURCE_DIR)
  get_target_property(binary_folder ${target} BINARY_DIR)
  set(found "")
  if(names)
    foreach(name IN LISTS names)
      if(name MATCHES "\\$<")
        if(name MATCHES "\\.cu")
          message(WARNING "warplint: '${name}' of target '${target}' is left out: a generator expression is no file name yet")
        endif()
        continue()
      endif()
      get_filename_component(file "${name}" ABSOLUTE BASE_DIR "${source_folder}")
      if(NOT EXISTS "${file}")
        get_filename_component(generated "${name}" ABSOLUTE BASE_DIR "${binary_folder}")
        get_source_file_property(is_generated "${generated}" TARGET_DIRECTORY ${target} GENERATED)
        if(is_generated)
          set(file "${generated}")
        endif()
      endif()
      get_source_file_property(language "${file}" TARGET_DIRECTORY ${target} LANGUAGE)
      if(language STREQUAL "CUDA" OR (NOT language AND file MATCHES "\\.cu$"))
        list(APPEND found "${file}")
      endif()
    endforeach()
  endif()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A file of words for "@file", rewritten only when they change.
function(_warplint_write_words file words)
  set(text "")
  foreach(word IN LISTS words)
    string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" word "${word}")
    string(APPEND text "\"${word}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}" @ONLY)
endfunction()
