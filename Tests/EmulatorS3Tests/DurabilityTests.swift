import EmulatorS3
import Foundation
import HTTP
import Testing

/// A directory of one test, gone with it.
private final class Scratch {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "latchkey-s3-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path + "/s3-content")
    }
}

@Suite struct DurabilityTests {
    private let large = [UInt8](repeating: 0x61, count: 200_000)

    @Test func `what was put is there after a restart`() throws {
        let scratch = try Scratch()
        do {
            let stage = try S3Stage(directory: scratch.path)
            _ = try stage.call(.put, "/photos")
            try stage.put("/photos/small", "x", headers: [("x-amz-meta-a", "b")])
            _ = try stage.call(.put, "/photos/large", body: large)
        }
        let stage = try S3Stage(directory: scratch.path)
        let small = try stage.call(.get, "/photos/small")
        #expect(small.text == "x")
        #expect(small.header("x-amz-meta-a") == "b")
        #expect(try stage.call(.get, "/photos/large").body == large)
        let part = try stage.call(.get, "/photos/large", headers: [("Range", "bytes=199998-")])
        #expect(part.text == "aa")
    }

    @Test func `a file lives as long as its object, also when put in vain`() throws {
        let scratch = try Scratch()
        let stage = try S3Stage(directory: scratch.path)
        _ = try stage.call(.put, "/photos")
        _ = try stage.call(.put, "/photos/k", body: large)
        _ = try stage.call(.put, "/photos/k", body: large + [1])
        #expect(try scratch.files().count == 1)
        try stage.call(.put, "/photos/k", headers: [("If-None-Match", "*")], body: large)
            .expect(412, "PreconditionFailed")
        try stage.call(.put, "/none-here/k", body: large).expect(404, "NoSuchBucket")
        #expect(try scratch.files().count == 1)
        #expect(try stage.call(.get, "/photos/k").body == large + [1])
        _ = try stage.call(.delete, "/photos/k")
        #expect(try scratch.files().isEmpty)
    }

    @Test func `objects that are replaced all the time are read whole`() async throws {
        let scratch = try Scratch()
        let stage = try S3Stage(directory: scratch.path)
        _ = try stage.call(.put, "/photos")
        let bodies = (0..<4).map { [UInt8](repeating: UInt8($0), count: 100_000 + $0) }
        _ = try stage.call(.put, "/photos/k", body: bodies[0])
        let broken = await withTaskGroup(of: Int.self) { group in
            for body in bodies {
                group.addTask {
                    for _ in 0..<10 { _ = try? stage.call(.put, "/photos/k", body: body) }
                    return 0
                }
                group.addTask {
                    (0..<10).count { _ in
                        let got = try? stage.call(.get, "/photos/k")
                        return !bodies.contains { $0 == got?.body }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(broken == 0)
        #expect(try scratch.files().count == 1)
    }
}
