import BaseTestSupport
import Foundation

/// Commands that delete or change state, when the emulator of another folder has the default port.
@Suite("The emulator of another folder", .hangLimit)
struct OtherFolderTests {
    private static let template = """
        Resources:
          Table:
            Type: AWS::Serverless::SimpleTable
        """

    /// Runs in a network of its own, where the default ports are free. Its arguments are the
    /// emulator's executable and a folder with the folders `served` and `other`.
    private static let script = #"""
        emulator=$1
        python3 -c 'import fcntl, socket, struct
        up = struct.pack("16sh", b"lo", 1)
        fcntl.ioctl(socket.socket(), 0x8914, up)    # SIOCSIFFLAGS: IFF_UP
        '
        cd "$2/served"
        "$emulator" serve --ephemeral --ready-file ../ready.json >../log 2>&1 &
        server=$!
        until [ -s ../ready.json ]; do
            kill -0 $server || { cat ../log; exit 1; }
            sleep 0.05
        done
        try() {
            echo "$ $*"
            "$emulator" "$@" 2>&1 || echo "exit $?"
        }
        cd ../other
        try reset
        try import --fresh ../none.jsonl
        try import ../none.jsonl
        try expire-now
        try clock +1h
        try clock reset
        try expire-now --url http://127.0.0.1:8000
        try reset --url http://127.0.0.1:8000
        cd ../served
        try reset
        try import --fresh ../none.jsonl
        kill $server
        wait $server
        """#

    @Test func `commands that change state refuse another folder's emulator by default`() throws {
        let folder = try TemporaryFolder()
        for name in ["served", "other"] { try folder.makeFolder(name) }
        try folder.write(Array(Self.template.utf8), to: "served/template.yaml")
        try folder.write([], to: "none.jsonl")
        let user = geteuid() == 0 ? [] : ["--map-root-user"]
        let result = try ChildProcess.run(
            Command(
                "/usr/bin/unshare",
                user + [
                    "--net", "/bin/sh", "-c", Self.script, "sh",
                    BuiltExecutables.path(of: "emulator"), folder.path,
                ]))
        let root = folder.path
        func refused(_ name: String) -> String {
            """
            emulator \(name): the emulator at http://127.0.0.1:8000 was not started in this \
            folder: it serves template.yaml in \(root)/served. If you mean it, add \
            --url http://127.0.0.1:8000
            exit 1
            """
        }
        expectEqual(
            result.text,
            """
            $ reset
            \(refused("reset"))
            $ import --fresh ../none.jsonl
            \(refused("import"))
            $ import ../none.jsonl
            \(refused("import"))
            $ expire-now
            \(refused("expire-now"))
            $ clock +1h
            \(refused("clock"))
            $ clock reset
            \(refused("clock"))
            $ expire-now --url http://127.0.0.1:8000
            0 items deleted
            $ reset --url http://127.0.0.1:8000
            all state deleted: template.yaml in \(root)/served
            $ reset
            all state deleted: template.yaml in \(root)/served
            $ import --fresh ../none.jsonl
            0 records from ../none.jsonl, for template.yaml in \(root)/served

            """, "\(result.errorText)")
    }
}
