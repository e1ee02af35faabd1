internal import Foundation

/// One event of `Events/` with what belongs to it.
package struct Fixture: Sendable, Hashable, CustomStringConvertible {
    /// `signin/apple-new-user`
    package let name: String
    private let stem: String

    package var function: String { String(name.prefix { $0 != "/" }) }
    package var description: String { name }

    package var event: [UInt8]? { Self.read("\(stem).json") }
    package var response: [UInt8]? { Self.read("\(stem).response.json") }
    package var given: [UInt8]? { Self.read("\(stem).given.json") }

    /// Keeps an answer as the expectation, for somebody to look at and commit.
    package func record(_ response: String) -> Bool {
        FileManager.default.createFile(
            atPath: "\(stem).response.json", contents: Data(response.utf8))
    }

    private static func read(_ path: String) -> [UInt8]? {
        FileManager.default.contents(atPath: path).map { Array($0) }
    }
}

extension Fixture {
    /// Everything that a folder of events holds, and what in it belongs to nothing.
    package struct Catalog: Sendable {
        package let fixtures: [Fixture]
        package let strays: [String]
    }

    /// Reads `root/<function>/<case>[.response|.given].json`. A file of any other form, and a part
    /// without its event, is a stray.
    package static func catalog(root: String, functions: [String]) -> Catalog {
        var fixtures: [Fixture] = []
        var strays: [String] = []
        for folder in entries(root) where folder != "README.md" {
            guard functions.contains(folder) else {
                strays.append(folder)
                continue
            }
            let files = entries("\(root)/\(folder)")
            for file in files {
                let name = "\(folder)/\(file)"
                guard let stem = parts(of: file) else {
                    strays.append(name)
                    continue
                }
                if stem.part == nil {
                    fixtures.append(
                        Fixture(
                            name: "\(folder)/\(stem.base)", stem: "\(root)/\(folder)/\(stem.base)"))
                } else if !files.contains("\(stem.base).json") {
                    strays.append(name)
                }
            }
        }
        return Catalog(fixtures: fixtures, strays: strays)
    }

    private static func parts(of file: String) -> (base: String, part: String?)? {
        guard file.hasSuffix(".json") else { return nil }
        let pieces = file.dropLast(5).split(separator: ".", omittingEmptySubsequences: false)
        guard let base = pieces.first, !base.isEmpty,
            base.utf8.allSatisfy({ isLowerLetterOrDigit($0) || $0 == UInt8(ascii: "-") })
        else { return nil }
        switch pieces.count {
        case 1: return (String(base), nil)
        case 2 where pieces[1] == "response" || pieces[1] == "given":
            return (String(base), String(pieces[1]))
        default: return nil
        }
    }

    private static func isLowerLetterOrDigit(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
    }

    private static func entries(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }
}
