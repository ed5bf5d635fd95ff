# One layer of warplint is one static library: its sources, the layers below it that it may use, and
# whether it needs Clang's headers (slow to compile, so precompiled and kept out of the pure layers).
#
#   warplint_layer(index SOURCES Expr.cpp ... [USES model result] [CLANG])
function(warplint_layer name)
  cmake_parse_arguments(ARG "CLANG" "" "SOURCES;USES" ${ARGN})
  set(target warplint_${name})
  add_library(${target} STATIC ${ARG_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON) # the clang-tidy module is a shared object
  warplint_compile_options(${target})
  foreach(used IN LISTS ARG_USES)
    target_link_libraries(${target} PUBLIC warplint_${used})
  endforeach()
  if(ARG_CLANG)
    target_link_libraries(${target} PUBLIC clang-cpp LLVM)
    target_precompile_headers(${target} PRIVATE ${CMAKE_SOURCE_DIR}/cmake/ClangHeaders.h)
  else()
    target_link_libraries(${target} PUBLIC LLVM)
  endif()
endfunction()

# Warnings are errors; LLVM's own headers are system headers, so that their warnings are not ours.
function(warplint_compile_options target)
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${CLANG_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Werror -Wno-unused-parameter -Wshadow
                                           -Wnon-virtual-dtor -Wimplicit-fallthrough
                                           -Wno-deprecated-declarations) # libstdc++ 12's stable_sort
  target_compile_definitions(${target} PUBLIC __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS __STDC_LIMIT_MACROS)
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
  if(WARPLINT_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
  if(WARPLINT_SANITIZE OR WARPLINT_FUZZ)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined -gline-tables-only
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
