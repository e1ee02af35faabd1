import Foundation
import FuzzTargets
import TestSupport

/// The short, fixed run of the fuzz targets. `make fuzz` is the long one, with coverage feedback.
struct FuzzTests {
    private static let folder = RepositoryRoot.url.appending(path: "Tests/Fuzz/Corpus")
    private static let mutationsCount = 5000

    /// The name and the bytes of each file.
    private static func corpus(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = Self.folder.appending(path: target.name)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        return try names.map { ($0, Array(try Data(contentsOf: folder.appending(path: $0)))) }
    }

    @Test(arguments: FuzzTarget.all.map(\.name))
    func `the corpus and its mutations keep every property`(_ name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let corpus = try Self.corpus(of: target)
        #expect(!corpus.isEmpty)
        for (file, bytes) in corpus {
            #expect(throws: Never.self, "\(name)/\(file)") { try target.run(bytes) }
        }
        var mutations = Mutations(
            of: corpus.map(\.bytes).filter { $0.count <= 8192 }, bytesMax: 8192, seed: 1)
        for _ in 0..<Self.mutationsCount {
            let input = mutations.next()
            do {
                try target.run(input)
            } catch {
                Issue.record("\(name): \(error), with \(Data(input).base64EncodedString())")
            }
        }
    }

    @Test func `the corpus has a folder for each target and no other`() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        expectEqual(folders.sorted(), FuzzTarget.all.map(\.name).sorted())
    }

    @Test func `the same seed makes the same inputs`() {
        var first = Mutations(of: [Array("input".utf8)], bytesMax: 64, seed: 7)
        var second = Mutations(of: [Array("input".utf8)], bytesMax: 64, seed: 7)
        for _ in 0..<100 { expectEqual(first.next(), second.next()) }
    }
}
