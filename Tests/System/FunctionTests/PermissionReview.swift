import Foundation
import TestSupport
import Testing

/// The permissions of all functions, and the reasons for permissions that no fixture uses, as lines
/// in the format of `emulator replay --permissions`.
struct PermissionReview {
    /// `Parts/permissions/<contract>.txt`, without secrets.
    private(set) var allowed: Set<String> = []
    /// Named by `Parts/permissions-without-fixture.txt`.
    private(set) var listed: Set<String> = []
    /// Those that functions with another permission need, by the same file.
    private(set) var implied: Set<String> = []

    private static let parts = RepositoryRoot.url.appending(path: "Functions/Templates/Parts")

    init() throws {
        let folder = Self.parts.appending(path: "permissions")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            try readAllowed(folder.appending(path: file), of: file.prefix { $0 != "." })
        }
        let reasons = Self.parts.appending(path: "permissions-without-fixture.txt")
        for line in try String(contentsOf: reasons, encoding: .utf8).split(separator: "\n")
        where !line.hasPrefix("#") {
            let sides = line.split(separator: ":")
            try #require(sides.count == 2, "\(line)")
            let permissions = sides[1].split(separator: ",").flatMap(Self.permissions)
            if sides[0].hasPrefix("where ") {
                for permission in permissions { imply(permission, by: sides[0].dropFirst(6)) }
            } else {
                for name in sides[0].split(separator: " ") {
                    let words = name.split(separator: "/")
                    let contract = words.count == 2 ? words[0] : "latchkey"
                    listed.formUnion(
                        permissions.map { "\(contract) \(words[words.count - 1]) \($0)" })
                }
            }
        }
    }

    private mutating func readAllowed(_ file: URL, of contract: Substring) throws {
        var function: Substring = ""
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            guard line.hasPrefix(" ") else {
                function = line
                continue
            }
            for permission in Self.permissions(line) where !permission.hasPrefix("secrets") {
                allowed.insert("\(contract) \(function) \(permission)")
            }
        }
    }

    /// `GetItem RATE USER` names two.
    private static func permissions(_ text: Substring) -> [String] {
        let words = text.split(separator: " ")
        return words.dropFirst().map { "\(words[0]) \($0)" }
    }

    /// In contracts of which a function has the permission.
    private mutating func imply(_ permission: String, by other: Substring) {
        func contract(_ line: String) -> Substring { line.prefix { $0 != " " } }
        let contracts = Set(allowed.filter { $0.hasSuffix(" \(permission)") }.map(contract))
        for line in allowed where line.hasSuffix(" \(other)") && contracts.contains(contract(line))
        {
            implied.insert(line.dropLast(other.count) + permission)
        }
    }
}
