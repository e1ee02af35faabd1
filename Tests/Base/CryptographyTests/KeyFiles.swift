import Foundation

/// The PEM files in `Vectors/keys`; the names of those in `refused` state the reason.
enum KeyFiles {
    static func pem(_ name: String) throws -> String {
        try String(contentsOf: Wycheproof.vector("keys/\(name).pem"), encoding: .utf8)
    }

    static func refusedNames() throws -> [String] {
        try FileManager.default
            .contentsOfDirectory(atPath: Wycheproof.vector("keys/refused").path())
            .filter { $0.hasSuffix(".pem") }
            .map { "refused/\($0.dropLast(4))" }
    }
}
