#!/bin/sh
# Makes the root folder of the container: root.sh PROGRAM LICENCES FOLDER
# It has the program, the shared libraries that it needs, CA certificates, licences, and the folders that are mounted.
set -eu
program=$1
licences=$2
root=$3

install -D -m 755 "$program" "$root/usr/bin/kb-exporter"
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    install -D "$library" "$root$library"
done
install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
install -D -m 644 "$licences" "$root/usr/share/doc/kb-exporter/THIRD-PARTY-LICENSES.txt"
install -m 644 "$(dirname "$0")/../../LICENSE" "$root/usr/share/doc/kb-exporter/LICENSE"
install -d "$root/etc/kb-exporter"
install -d -m 1777 "$root/tmp"
install -d -m 700 -o 65532 -g 65532 "$root/var/lib/kb-exporter"
