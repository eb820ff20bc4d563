# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by ./demo, ./check and .ci/run: which distribution packages presso needs and how to get
# them. Known systems are those that it is tested on; on others the packages are named, not guessed.

# What the build needs, each as "name: reason".
# shellcheck disable=SC2034
BUILD_PACKAGES=(
  "g++: the C++20 compiler"
  "cmake: the build system, 3.25 or newer"
  "ninja-build: runs the build on all cores"
  "libcli11-dev: splits the command line into options and operands"
  "nlohmann-json3-dev: writes the --json outputs"
  "libdeflate-dev: presso bench compares with it"
  "libxxhash-dev: the checksums of the file format"
  "liblz4-dev: presso scan reads .lz4 files with it, presso bench compares with it"
  "libzstd-dev: presso scan reads .zst files with it, presso bench compares with it"
  "zlib1g-dev: presso scan reads .gz files with it, presso bench compares with it"
)
# What the tests need on top.
# shellcheck disable=SC2034
TEST_PACKAGES=(
  "libgtest-dev: the test framework"
  "librapidcheck-dev: makes inputs for property tests, and shrinks those that fail"
  "libre2-dev: what regular expressions are compared with in tests"
  "libpcre2-dev: what regular expressions are compared with in tests"
  "python3: runs the checks of house rules and of the command line"
  "ripgrep: presso scan must answer as it does"
  "lz4: what presso is compared with"
  "zstd: what presso is compared with"
  "pkg-config: the test of an installed presso"
  "mandoc: checks the manual page"
  "zsh: tests its completions"
  "fish: tests its completions"
  "xz-utils: unpacks test corpora"
)

# Prints ID and version of a system that presso is tested on; fails on any other.
known_system() {
  local id='' version=''
  if [[ -r ${OS_RELEASE:-/etc/os-release} ]]; then
    # shellcheck disable=SC1090,SC1091
    id=$(. "${OS_RELEASE:-/etc/os-release}" && echo "${ID:-}")
    # shellcheck disable=SC1090,SC1091
    version=$(. "${OS_RELEASE:-/etc/os-release}" && echo "${VERSION_ID:-}")
  fi
  case $id-$version in
    debian-12 | ubuntu-24.04) echo "$id $version" ;;
    *)
      echo "${id:-unknown system} $version"
      return 1
      ;;
  esac
}

package_is_installed() {
  [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == 'install ok installed' ]]
}

list_packages() {
  local entry
  for entry in "$@"; do printf '  %-20s %s\n' "${entry%%:*}" "${entry#*: }"; done
}

# Asks on the terminal; without one the answer is no.
confirm() {
  local answer=''
  [[ -t 0 ]] || return 1
  read -r -p "$1 [Y/n] " answer
  [[ -z $answer || $answer == [Yy]* ]]
}

# install_packages YES "name: reason"...: installs those that are missing. YES=1 asks nothing.
install_packages() {
  local yes=$1 system entry
  shift
  if ! system=$(known_system); then
    echo "presso is tested on Debian 12 and Ubuntu 24.04; this is ${system}."
    echo "Please install these packages, or what your system calls them:"
    list_packages "$@"
    echo "Then run this again with --no-install."
    return 1
  fi
  local missing=()
  for entry in "$@"; do package_is_installed "${entry%%:*}" || missing+=("$entry"); done
  if ((${#missing[@]} == 0)); then
    echo "packages: all of them are installed ($system)"
    return 0
  fi
  local as_root=()
  [[ $(id -u) == 0 ]] || as_root=(sudo)
  echo "packages: these are missing ($system):"
  list_packages "${missing[@]}"
  if [[ $yes != 1 && $(id -u) != 0 ]] && ! confirm "Install them with sudo apt-get?"; then
    echo "Not installed. To do it by hand: sudo apt-get install ${missing[*]%%:*}"
    echo "Or run this with --yes."
    return 1
  fi
  run_apt "${as_root[*]-}" "${missing[@]%%:*}"
}

# run_apt SUDO_OR_EMPTY PACKAGE...
run_apt() {
  local as_root=()
  [[ -z $1 ]] || as_root=("$1")
  shift
  "${as_root[@]}" apt-get update -qq &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}
