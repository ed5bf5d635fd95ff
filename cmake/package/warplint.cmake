#[[
  warplint_add_target(NAME [TARGETS target...] [OPTIONS option...] [FAIL_ON_FINDINGS] [SARIF file])

Adds a target that analyses the CUDA sources of other targets and prints one report. Each file is a build step of its
own: it runs again when the file, a header, a .warplint or its compile command has changed.

  TARGETS           default: all targets of this folder and those below
  OPTIONS           warplint's, e.g. --checks=-global-gather; no generator expressions
  FAIL_ON_FINDINGS  warnings count as errors; errors fail the target always
  SARIF             also writes this file (relative to the current binary folder)

Flags come from compile_commands.json, which the Ninja and Makefile generators write. The sources are those that the
targets have when the whole project has been read: of target_sources() and INTERFACE libraries, too. A target that
generates sources, or was given dependencies with add_dependencies(), is built before its files are analysed.
]]
function(warplint_add_target NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "FAIL_ON_FINDINGS" "SARIF" "TARGETS;OPTIONS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warplint_add_target(${NAME}): unknown argument: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Ninja|Makefiles")
    message(FATAL_ERROR "warplint_add_target(${NAME}) needs a Ninja or Makefile generator, which write "
                        "compile_commands.json; this is '${CMAKE_GENERATOR}'")
  endif()
  if("${ARG_OPTIONS}" MATCHES "\\$<")
    message(FATAL_ERROR "warplint_add_target(${NAME}): OPTIONS takes no generator expressions")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${NAME}.warplint")
  if(ARG_FAIL_ON_FINDINGS)
    list(APPEND ARG_OPTIONS "--warnings-as-errors=*")
  endif()
  _warplint_write_words("${folder}/options.rsp" "${ARG_OPTIONS}")
  if(ARG_SARIF)
    get_filename_component(ARG_SARIF "${ARG_SARIF}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_BINARY_DIR}")
  endif()
  # Prints the findings of all files, changed or not, and ends with their exit status.
  add_custom_target(${NAME}
    COMMAND warplint::warplint merge --format=text "@${folder}/reports.rsp"
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}" # names are relative to the repository, or else to this
    COMMENT "${NAME}: findings"
    VERBATIM)
  set_target_properties(${NAME} PROPERTIES WARPLINT_FOLDER "${folder}" WARPLINT_TARGETS "${ARG_TARGETS}"
                                           WARPLINT_SARIF "${ARG_SARIF}")
  # Sources and targets may still be added. The words of a deferred call are read when it runs.
  cmake_language(EVAL CODE "
    cmake_language(DEFER DIRECTORY [==[${CMAKE_SOURCE_DIR}]==] CALL _warplint_add_steps [==[${NAME}]==])")
endfunction()

# What the target NAME waits for: the reports of its files, when all is known that can have some.
function(_warplint_add_steps NAME)
  foreach(property FOLDER TARGETS SARIF)
    get_target_property(${property} ${NAME} WARPLINT_${property})
  endforeach()
  if(NOT TARGETS)
    get_target_property(source_folder ${NAME} SOURCE_DIR)
    _warplint_targets_below("${source_folder}" TARGETS)
  endif()

  set(all "")
  set(first "")
  foreach(target IN LISTS TARGETS)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "warplint_add_target(${NAME}): there is no target '${target}'")
    endif()
    get_target_property(aliased ${target} ALIASED_TARGET)
    if(aliased)
      set(target ${aliased})
    endif()
    _warplint_cuda_sources(${target} sources)
    if(sources)
      set_target_properties(${target} PROPERTIES EXPORT_COMPILE_COMMANDS ON)
      _warplint_makes_files(${target} makes_files)
      if(makes_files)
        list(APPEND first ${target})
      endif()
    endif()
    list(APPEND all ${sources})
  endforeach()
  list(REMOVE_DUPLICATES all)
  if(NOT all)
    message(FATAL_ERROR "warplint_add_target(${NAME}): no CUDA source in the targets '${TARGETS}'")
  endif()

  set(step "${CMAKE_COMMAND}" "-DTOOL=$<TARGET_FILE:warplint::warplint>")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/warplint-step.cmake")
  set(reports "")
  foreach(source IN LISTS all)
    get_filename_component(stem "${source}" NAME)
    string(MD5 id "${source}")
    string(SUBSTRING "${id}" 0 8 id)
    set(report "${FOLDER}/${stem}-${id}.json")
    file(RELATIVE_PATH shown "${CMAKE_SOURCE_DIR}" "${source}")
    set(depends "${FOLDER}/options.rsp" "${CMAKE_BINARY_DIR}/compile_commands.json" "$<TARGET_FILE:warplint::warplint>")
    if(EXISTS "${source}") # else another folder makes it, of which make knows nothing here
      list(APPEND depends "${source}")
    endif()
    add_custom_command(OUTPUT "${report}"
      COMMAND ${step} "-DREPORT=${report}" "-DDEPENDENCIES=${report}.d" "-DWHAT=${shown}" -P "${script}" --
              -p "${CMAKE_BINARY_DIR}" --format=json "@${FOLDER}/options.rsp" "${source}"
      DEPENDS ${depends}
      DEPFILE "${report}.d"
      COMMENT "warplint ${shown}"
      VERBATIM)
    list(APPEND reports "${report}")
  endforeach()
  _warplint_write_words("${FOLDER}/reports.rsp" "${reports}")

  if(SARIF)
    file(RELATIVE_PATH shown "${CMAKE_BINARY_DIR}" "${SARIF}")
    add_custom_command(OUTPUT "${SARIF}"
      COMMAND ${step} "-DREPORT=${SARIF}" "-DWHAT=${shown}" -P "${script}" -- merge --format=sarif "@${FOLDER}/reports.rsp"
      DEPENDS ${reports} "${FOLDER}/reports.rsp"
      WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
      COMMENT "warplint ${shown}"
      VERBATIM)
    list(APPEND reports "${SARIF}")
  endif()
  add_custom_target(${NAME}-reports DEPENDS ${reports})
  if(first)
    add_dependencies(${NAME}-reports ${first})
  endif()
  add_dependencies(${NAME} ${NAME}-reports)
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

# Are there files that must be made before the target's can be read?
function(_warplint_makes_files target result)
  get_target_property(found ${target} MANUALLY_ADDED_DEPENDENCIES)
  get_target_property(names ${target} SOURCES)
  get_target_property(source_folder ${target} SOURCE_DIR)
  get_target_property(binary_folder ${target} BINARY_DIR)
  foreach(name IN LISTS names)
    foreach(folder "${source_folder}" "${binary_folder}")
      get_filename_component(file "${name}" ABSOLUTE BASE_DIR "${folder}")
      get_source_file_property(is_generated "${file}" TARGET_DIRECTORY ${target} GENERATED)
      if(is_generated)
        set(found TRUE)
      endif()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The sources that libraries give to who links them.
function(_warplint_interface_sources libraries seen result)
  set(found "")
  foreach(library IN LISTS libraries)
    if(TARGET "${library}" AND NOT library IN_LIST seen)
      list(APPEND seen "${library}")
      get_target_property(sources ${library} INTERFACE_SOURCES)
      get_target_property(more ${library} INTERFACE_LINK_LIBRARIES)
      if(sources)
        list(APPEND found ${sources})
      endif()
      if(more)
        _warplint_interface_sources("${more}" "${seen}" inherited)
        list(APPEND found ${inherited})
      endif()
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A target's CUDA sources, absolute. What a generator expression names is not known yet, and is said to be left out.
function(_warplint_cuda_sources target result)
  get_target_property(names ${target} SOURCES)
  get_target_property(libraries ${target} LINK_LIBRARIES)
  get_target_property(type ${target} TYPE)
  get_target_property(source_folder ${target} SOURCE_DIR)
  get_target_property(binary_folder ${target} BINARY_DIR)
  if(NOT names OR type MATCHES "UTILITY|INTERFACE") # which compile nothing
    set(names "")
  endif()
  if(libraries)
    _warplint_interface_sources("${libraries}" "" inherited)
    list(APPEND names ${inherited})
  endif()
  set(found "")
  foreach(name IN LISTS names)
    if(name MATCHES "^\\$<BUILD_INTERFACE:([^$<>]*)>$")
      set(name "${CMAKE_MATCH_1}")
    endif()
    if(name MATCHES "\\$<")
      if(name MATCHES "\\.cu" AND NOT name MATCHES "^\\$<INSTALL_INTERFACE:")
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
    get_source_file_property(is_header "${file}" TARGET_DIRECTORY ${target} HEADER_FILE_ONLY)
    if(NOT is_header AND (language STREQUAL "CUDA" OR (NOT language AND file MATCHES "\\.cu$")))
      list(APPEND found "${file}")
    endif()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A file of words for "@file", rewritten only when they change.
function(_warplint_write_words file words)
  set(text "")
  foreach(word IN LISTS words)
    string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" word "${word}")
    string(APPEND text "\"${word}\"\n")
  endforeach()
  file(GENERATE OUTPUT "${file}" CONTENT "${text}")
endfunction()
