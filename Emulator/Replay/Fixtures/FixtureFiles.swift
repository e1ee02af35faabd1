internal import Bytes
internal import EmulatorBase

/// Files of fixtures.
enum FixtureFiles {
    /// The limit is larger than any event or response of a function, also as JSON.
    private static let bytesMax = 32 << 20

    /// nil if there is no file, or it cannot be read.
    static func read(_ path: String) -> [UInt8]? { try? Files.read(path, bytesMax: bytesMax) }

    /// Reads the file that an argument names; `-` is standard input.
    static func read(argument path: String) throws(FixtureFailure) -> [UInt8] {
        do throws(FileFailure) {
            return path.isSame(as: "-")
                ? try Files.readStandardInput(bytesMax: bytesMax)
                : try Files.read(path, bytesMax: bytesMax)
        } catch {
            throw FixtureFailure("cannot read \(error)")
        }
    }

    /// Creates missing parent folders.
    static func write(_ bytes: [UInt8], to path: String) throws(FixtureFailure) {
        do throws(FileFailure) {
            if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
                try Files.makeDirectory(String(path[..<slash]), mode: 0o755)
            }
            try Files.write(bytes, to: path)
        } catch {
            throw FixtureFailure("cannot write \(error)")
        }
    }
}

/// This process's own environment, unchanged.
package enum Variables {
    package static var all: [(name: String, value: String)] {
        (FixtureFiles.read("/proc/self/environ") ?? []).split(separator: 0).compactMap { pair in
            guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
            return (
                String(decoding: pair[..<equals], as: UTF8.self),
                String(decoding: pair[(equals + 1)...], as: UTF8.self)
            )
        }
    }
}
