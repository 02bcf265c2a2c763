# What cpack reads before it begins: without these tools a package would depend on nothing. They may
# have been installed after the build.
find_program(SHLIBDEPS dpkg-shlibdeps)
find_program(KIND_OF_FILE file)
if(NOT SHLIBDEPS OR NOT KIND_OF_FILE)
  message(FATAL_ERROR "A package for Debian needs two tools: apt-get install dpkg-dev file")
endif()
