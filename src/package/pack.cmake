# What cpack reads before it begins: without this tool a package would depend on nothing. It may have
# been installed after the build.
find_program(SHLIBDEPS dpkg-shlibdeps)
if(NOT SHLIBDEPS)
  message(FATAL_ERROR "A package for Debian needs dpkg-shlibdeps: apt-get install dpkg-dev")
endif()
