# One static library per floor. `rp_floor(name SOURCES ... DEPENDS lower floors ... LINK external ...)`.
# A floor sees only the headers of the floors it names, so an include that points upwards does not compile.
add_library(rp_options INTERFACE)
target_compile_options(rp_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -ffp-contract=off)
# GCC 12 warns of overlapping copies inside std::string's own operator+ (PR 105651); later versions do not.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rp_options INTERFACE -Wno-restrict)
endif()
if(RIDGEPOINT_SANITIZE)
  # SimGrid's context switches are unknown to the address sanitizer, so the floors that use it are left out.
  set(RP_FLOORS_LEFT_OUT cluster cli)
  # GCC's flow analysis loses itself in instrumented library code (std::regex): the warning stays on in other builds.
  target_compile_options(rp_options INTERFACE -Wno-maybe-uninitialized)
  target_compile_options(rp_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(rp_options INTERFACE -fsanitize=address,undefined)
endif()

function(rp_floor name)
  cmake_parse_arguments(F "" "" "SOURCES;DEPENDS;LINK" ${ARGN})
  add_library(rp_${name} STATIC ${F_SOURCES})
  target_include_directories(rp_${name} PUBLIC ${CMAKE_BINARY_DIR}/include/${name})
  # Headers are included as <floor>/<file>: a link in the build tree exposes this floor and no other.
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/${name})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/include/${name}/${name} SYMBOLIC)
  target_link_libraries(rp_${name} PRIVATE rp_options)
  foreach(lower ${F_DEPENDS})
    target_link_libraries(rp_${name} PUBLIC rp_${lower})
  endforeach()
  target_link_libraries(rp_${name} PUBLIC ${F_LINK})
endfunction()
