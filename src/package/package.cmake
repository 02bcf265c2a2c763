# package: what `cmake --install` and `cpack` make. Included by CMakeLists.txt, after the targets.
if(CMAKE_LIBRARY_ARCHITECTURE) # as Debian does it for /usr, and finds it also in /usr/local
  set(CMAKE_INSTALL_LIBDIR lib/${CMAKE_LIBRARY_ARCHITECTURE} CACHE PATH "Where libraries go")
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(DATA ${CMAKE_INSTALL_DATADIR})
set(BUILT ${CMAKE_CURRENT_BINARY_DIR})

install(TARGETS tpq EXPORT tpq RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS extension EXPORT tpq LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tpq)
install(DIRECTORY sql/extensions DESTINATION ${DATA}/doc/tpq)
install(FILES ${BUILT}/tpq.bash DESTINATION ${DATA}/bash-completion/completions RENAME tpq)
install(FILES ${BUILT}/tpq.fish DESTINATION ${DATA}/fish/vendor_completions.d)

# Where the extension lies, for those who build with CMake (the targets tpq::extension and
# tpq::tpq) and those who ask pkg-config (--variable=extension tpq). Both go by their own place.
set(CMAKE_DIRECTORY ${CMAKE_INSTALL_LIBDIR}/cmake/tpq)
install(EXPORT tpq NAMESPACE tpq:: FILE tpqConfig.cmake DESTINATION ${CMAKE_DIRECTORY})
write_basic_package_version_file(tpqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${BUILT}/tpqConfigVersion.cmake DESTINATION ${CMAKE_DIRECTORY})
file(RELATIVE_PATH UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" UP ${UP})
configure_file(src/package/tpq.pc.in tpq.pc @ONLY)
install(FILES ${BUILT}/tpq.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What has another place or form in Debian's packages than elsewhere.
install(FILES ${BUILT}/tpq.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT local)
install(FILES ${BUILT}/_tpq DESTINATION ${DATA}/zsh/site-functions COMPONENT local)

# Wheels for Python, in the build folder. src/python/wheel.py says which build runs elsewhere.
find_program(PYTHON3 python3)
set(WHEEL ${PYTHON3} -B ${CMAKE_CURRENT_SOURCE_DIR}/src/python/wheel.py)
add_custom_target(wheel COMMAND ${WHEEL} ${BUILT} ${BUILT} COMMAND ${WHEEL} --datasette ${BUILT} ${BUILT}
                  DEPENDS tpq extension help_files USES_TERMINAL VERBATIM)

find_program(GZIP gzip)
if(NOT GZIP)
  return() # no Debian package can be made here
endif()

set(CPACK_DEBIAN_PACKAGE_MAINTAINER "the tpq authors <tpq@localhost>" CACHE STRING
    "Who made the Debian package")
string(TIMESTAMP DATE "%a, %d %b %Y %H:%M:%S +0000" UTC) # or that of SOURCE_DATE_EPOCH
file(STRINGS LICENSE COPYRIGHT REGEX "^Copyright")
string(REGEX REPLACE "^Copyright \\(c\\) " "" COPYRIGHT "${COPYRIGHT}")
file(READ LICENSE LICENCE)
string(REGEX REPLACE "^.*(Permission is hereby.*[^\n])\n*$" "\\1" LICENCE "${LICENCE}")
string(REGEX REPLACE "\n\n" "\n.\n" LICENCE "${LICENCE}")
string(REGEX REPLACE "\n" "\n " LICENCE "${LICENCE}")
configure_file(src/package/copyright.in debian/copyright @ONLY)
configure_file(src/package/changelog.in debian/changelog @ONLY)
foreach(FILE tpq.1 debian/changelog)
  add_custom_command(OUTPUT ${FILE}.gz COMMAND ${GZIP} -9nc ${FILE} > ${FILE}.gz DEPENDS ${BUILT}/${FILE})
endforeach()
add_custom_target(debian_files ALL DEPENDS tpq.1.gz debian/changelog.gz)
add_dependencies(debian_files help_files)

macro(install_debian FILE PLACE)
  install(FILES ${BUILT}/${FILE} DESTINATION ${DATA}/${PLACE} COMPONENT debian EXCLUDE_FROM_ALL)
endmacro()
install_debian(tpq.1.gz man/man1)
install_debian(_tpq zsh/vendor-completions)
install_debian(debian/copyright doc/tpq)
install_debian(debian/changelog.gz doc/tpq)

set(CPACK_GENERATOR DEB)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/src/package/pack.cmake)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS "${BUILT};tpq;Unspecified;/;${BUILT};tpq;debian;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ
    GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${EDIT_PACKAGE}, ${XLSXWRITER_PACKAGE}") # loaded, not linked
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "sqlite3, python3")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "warehouse for performance traces of AI accelerators
Traces go in, one SQLite database holds them, SQL answers: what ran, what
launched it, how long it took, in one trace or across a thousand runs. It
reads PyTorch profiler JSON and memory snapshots, JAX xplane.pb, Nsight Systems
exports, rocpd, rocprofv3, Perfetto traces and tt-metal op tables.
.
Reports go to the terminal, CSV, workbooks, JSON, Markdown and HTML. The same
functions and views are in an extension that SQLite's clients can load.")
include(CPack)
