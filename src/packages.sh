# packages.sh - installs the Debian packages that a task needs, where they are missing.
#
# To be sourced:  . src/packages.sh; packages_need $packages_build $packages_test
# Installs when it may (root, or sudo without a question); otherwise it says what to install.

packages_build="gcc libc6-dev make cmake pkg-config libsqlite3-dev zlib1g-dev libpcre2-dev libedit-dev
libxxhash-dev libxlsxwriter-dev libcsv-dev libexpat1-dev"
packages_test="libcmocka-dev ninja-build clang-format-14 python3 sqlite3 gzip git locales"
# Packages for tests/run.sh --all: another compiler, and other people's programs that use ours.
packages_all="clang libclang-rt-14-dev lld dpkg-dev file groff chromium python3-venv postgresql valgrind"

packages_need() {
    missing=
    for package in "$@"; do
        case $(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null) in
        ii*) ;;
        *) missing="$missing $package" ;;
        esac
    done
    [ -z "$missing" ] && return 0
    if [ "$(id -u)" = 0 ]; then
        elevate=
    elif sudo -n true 2>/dev/null; then
        elevate=sudo
    else
        echo "Please install these packages first:$missing" >&2
        return 1
    fi
    echo "Installing:$missing"
    $elevate apt-get update -q=2 &&
        DEBIAN_FRONTEND=noninteractive $elevate apt-get install -q=2 -y --no-install-recommends \
            $missing >/dev/null
}
