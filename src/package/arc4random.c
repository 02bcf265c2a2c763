/* arc4random: the one function for which Expat's archive asks for glibc 2.36, so that a program
 * that is linked with it also starts on older systems (TPQ_STATIC_LIBS). Expat salts its hash
 * tables.
 */
#include <stdlib.h>
#include <unistd.h>

void arc4random_buf(void *buffer, size_t length)
{
    if (getentropy(buffer, length) != 0)
        abort();
}
