import BaseTestSupport
import EmulatorAWS
import Foundation

/// A temporary directory of one test.
private final class TemporaryStore {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(
            path: "latchkey-s3-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The length of the content file, and its size on disk.
    func contentBytes() throws -> (length: Int, onDisk: Int) {
        var status = stat()
        try #require(lstat(path + "/s3-content", &status) == 0)
        return (Int(status.st_size), Int(status.st_blocks) * 512)
    }
}

@Suite struct DurabilityTests {
    private let large = [UInt8](repeating: 0x61, count: 200_000)

    @Test func `objects survive a restart`() throws {
        let scratch = try TemporaryStore()
        do {
            let harness = try S3Harness(directory: scratch.path)
            _ = try harness.call(.put, "/photos")
            try harness.put("/photos/small", "x", headers: [("x-amz-meta-a", "b")])
            _ = try harness.call(.put, "/photos/large", body: large)
        }
        let harness = try S3Harness(directory: scratch.path)
        let small = try harness.call(.get, "/photos/small")
        expectEqual(small.text, "x")
        expectEqual(small.header("x-amz-meta-a"), "b")
        try expectEqual(harness.call(.get, "/photos/large").body, large)
        let part = try harness.call(.get, "/photos/large", headers: [("Range", "bytes=199998-")])
        expectEqual(part.text, "aa")
    }

    @Test func `content is removed with its object, and after a failed put`() throws {
        let scratch = try TemporaryStore()
        do {
            let harness = try S3Harness(directory: scratch.path)
            _ = try harness.call(.put, "/photos")
            for round in 0..<10 {
                _ = try harness.call(.put, "/photos/k", body: large + [UInt8(round)])
                try harness.call(.put, "/photos/k", headers: [("If-None-Match", "*")], body: large)
                    .expect(412, "PreconditionFailed")
                try harness.call(.put, "/none-here/k", body: large).expect(404, "NoSuchBucket")
            }
            try expectEqual(harness.call(.get, "/photos/k").body, large + [9])
            // The existing object, and the one that was to replace it.
            #expect(try scratch.contentBytes().length <= 2 * large.count + 8192)
            _ = try harness.call(.delete, "/photos/k")
        }
        _ = try S3Harness(directory: scratch.path).call(.put, "/other")
        try expectEqual(scratch.contentBytes().length, 0)
    }

    @Test func `the disk space of large content is released at once`() throws {
        let scratch = try TemporaryStore()
        let harness = try S3Harness(directory: scratch.path)
        _ = try harness.call(.put, "/photos")
        _ = try harness.call(.put, "/photos/k", body: [UInt8](repeating: 1, count: 8 << 20))
        #expect(try scratch.contentBytes().onDisk >= 8 << 20)
        _ = try harness.call(.delete, "/photos/k")
        #expect(try scratch.contentBytes().onDisk < 1 << 20)
    }

    /// Sizes around the block size, a few keys, and frequent restarts.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func `contents never overwrite each other`(seed: UInt64) throws {
        let random = RandomSource.seeded(seed)
        func number(below limit: Int) -> Int {
            random.bytes(4).reduce(0) { $0 << 8 | Int($1) } % limit
        }
        let sizes = [0, 1, 4095, 4096, 4097, 8192, 10_000, 40_000, 300_000]
        let scratch = try TemporaryStore()
        var kept: [Int: [UInt8]] = [:]
        var mostBytes = 0
        for _ in 0..<4 {
            let harness = try S3Harness(directory: scratch.path)
            _ = try harness.call(.put, "/photos")
            for turn in 0..<150 {
                let key = number(below: 30)
                if number(below: 4) == 0 {
                    _ = try harness.call(.delete, "/photos/\(key)")
                    kept[key] = nil
                } else {
                    let size = sizes[number(below: sizes.count)]
                    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: turn), count: size)
                    _ = try harness.call(.put, "/photos/\(key)", body: body)
                    kept[key] = body
                }
                mostBytes = max(mostBytes, kept.values.reduce(0) { $0 + $1.count + 4096 })
            }
            for key in 0..<30 {
                let got = try harness.call(.get, "/photos/\(key)")
                expectEqual(got.status, kept[key] == nil ? 404 : 200)
                if let body = kept[key] { expectEqual(got.body, body) }
            }
        }
        #expect(try scratch.contentBytes().length < 2 * mostBytes)
    }

    @Test func `objects that are replaced while being read are read completely`() async throws {
        let scratch = try TemporaryStore()
        let harness = try S3Harness(directory: scratch.path)
        _ = try harness.call(.put, "/photos")
        let bodies = (0..<4).map { [UInt8](repeating: UInt8($0), count: 100_000 + $0) }
        _ = try harness.call(.put, "/photos/k", body: bodies[0])
        let broken = await withTaskGroup(of: Int.self) { group in
            for body in bodies {
                group.addTask {
                    for _ in 0..<10 { _ = try? harness.call(.put, "/photos/k", body: body) }
                    return 0
                }
                group.addTask {
                    (0..<10).count { _ in
                        let got = try? harness.call(.get, "/photos/k")
                        return !bodies.contains { $0 == got?.body }
                    }
                }
            }
            return await group.reduce(0, +)
        }
        expectEqual(broken, 0)
    }

    @Test func `one of many concurrent If-None-Match puts succeeds`() async throws {
        let harness = try S3Harness()
        _ = try harness.call(.put, "/photos")
        let won = await withTaskGroup(of: Int.self) { group in
            for index in 0..<20 {
                group.addTask {
                    let put = try? harness.put(
                        "/photos/race", "\(index)", headers: [("If-None-Match", "*")])
                    return put?.status == 200 ? 1 : put?.status == 412 ? 0 : 100
                }
            }
            return await group.reduce(0, +)
        }
        expectEqual(won, 1)
    }
}
