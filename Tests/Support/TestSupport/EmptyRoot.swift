internal import Foundation

/// Runs executables in a root directory that contains only themselves, /proc, /tmp, a `resolv.conf`
/// and their working directory, like a container from scratch.
package final class EmptyRoot: Sendable {
    private let folder: TemporaryFolder
    /// A folder with a script for each executable, of the same name, which runs it in the root.
    package var directory: String { folder.file("run") }
    package var root: String { folder.file("root") }

    /// - Parameters:
    ///   - nameServer: the name server in `resolv.conf`.
    ///   - authorities: a bundle of certificate authorities, which a container from scratch lacks.
    package init(
        _ names: some Sequence<String>, nameServer: String = "127.0.0.1",
        authorities: String? = nil
    ) throws {
        folder = try TemporaryFolder()
        for path in ["run", "root", "root/proc", "root/tmp", "root/etc"] {
            try folder.makeFolder(path)
        }
        try folder.write(Array("nameserver \(nameServer)\n".utf8), to: "root/etc/resolv.conf")
        if let authorities {
            for path in ["root/etc/ssl", "root/etc/ssl/certs"] { try folder.makeFolder(path) }
            try folder.write(Array(authorities.utf8), to: "root/etc/ssl/certs/ca-certificates.crt")
        }
        for name in names {
            try folder.write([], to: "root/\(name)")
            let script = Self.script(BuiltExecutables.path(of: name), root: root, name)
            try folder.replace("run/\(name)", with: Array(script.utf8), mode: 0o755)
        }
    }

    package func path(of name: String) -> String { "\(directory)/\(name)" }

    /// The mounts are in a namespace of the process and end with it.
    private static func script(_ executable: String, root: String, _ name: String) -> String {
        """
        #!/bin/sh
        [ "$(/usr/bin/id -u)" -eq 0 ] || user=--map-root-user
        exec /usr/bin/unshare $user --mount /bin/sh -c '
            set -e
            PATH=/usr/bin:/bin:$PATH
            root=$1 executable=$2 name=$3 folder=$(pwd -P)
            shift 3
            mount -t tmpfs tmpfs "$root/tmp"
            mkdir -p "$root$folder"
            mount --bind "$folder" "$root$folder"
            mount --rbind /proc "$root/proc"
            mount --bind "$executable" "$root/$name"
            exec unshare --root="$root" --wd="$folder" "/$name" "$@"
        ' sh '\(root)' '\(executable)' '\(name)' "$@"

        """
    }
}
