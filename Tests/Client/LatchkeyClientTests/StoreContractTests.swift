/// Requirements for every store. An app can run them on its own store.
struct StoreContract {
    let make: @Sendable () throws -> any SessionStore

    func check() async throws {
        try await startsEmpty()
        try await comparesAndSwaps()
        try await keepsBytes()
        try await letsOneOfManyWin()
        try await locksOnce()
        try await unlocksWithTheLastReference()
    }

    private func startsEmpty() async throws {
        let store = try make()
        try await expectEqual(store.load(), nil)
        #expect(try await store.replace(nil, with: nil))
        try await expectEqual(store.load(), nil)
    }

    private func comparesAndSwaps() async throws {
        let store = try make()
        let (one, two) = (Data("one".utf8), Data("two".utf8))
        try await expectEqual(store.replace(one, with: two), false)
        try await expectEqual(store.load(), nil)
        #expect(try await store.replace(nil, with: one))
        try await expectEqual(store.replace(nil, with: two), false)
        try await expectEqual(store.replace(two, with: two), false)
        try await expectEqual(store.load(), one)
        #expect(try await store.replace(one, with: two))
        try await expectEqual(store.load(), two)
        try await expectEqual(store.replace(one, with: nil), false)
        #expect(try await store.replace(two, with: nil))
        try await expectEqual(store.load(), nil)
    }

    private func keepsBytes() async throws {
        let store = try make()
        let long = Data((0..<60_000).map { UInt8(truncatingIfNeeded: $0) })
        #expect(try await store.replace(nil, with: long))
        try await expectEqual(store.load(), long)
        // A shorter record leaves nothing of the longer one.
        #expect(try await store.replace(long, with: Data([0])))
        try await expectEqual(store.load(), Data([0]))
    }

    private func letsOneOfManyWin() async throws {
        let store = try make()
        for round in 0..<5 {
            let before = try await store.load()
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try await store.replace(before, with: Data("\(round) \(number)".utf8))
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            expectEqual(winners, 1)
        }
    }

    private func locksOnce() async throws {
        let store = try make()
        let lock = try await store.lockRefresh(waiting: .seconds(5))
        await #expect(throws: StoreError.busy) {
            _ = try await store.lockRefresh(waiting: .milliseconds(20))
        }
        // Reading and writing go on.
        #expect(try await store.replace(nil, with: Data([1])))
        lock.release()
        lock.release()
        let next = try await store.lockRefresh(waiting: .seconds(5))
        // A lock that was released before releases no other one.
        lock.release()
        await #expect(throws: StoreError.busy) {
            _ = try await store.lockRefresh(waiting: .milliseconds(20))
        }
        next.release()
    }

    private func unlocksWithTheLastReference() async throws {
        let store = try make()
        var lock: (any RefreshLock)? = try await store.lockRefresh(waiting: .seconds(5))
        _ = lock
        lock = nil
        try await store.lockRefresh(waiting: .seconds(5)).release()
    }
}

@Suite("Stores", .timeLimit(.minutes(2)))
struct StoreContractTests {
    @Test func `the memory store fulfils the contract`() async throws {
        try await StoreContract { MemoryStore() }.check()
    }

    @Test func `the file store fulfils the contract`() async throws {
        let folder = try Folder()
        try await StoreContract { FileStore(folder: folder.url.appending(path: UUID().uuidString)) }
            .check()
    }

    @Test func `two stores of the same folder share its record and lock`() async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let (one, two) = (FileStore(folder: url), FileStore(folder: url))
        #expect(try await one.replace(nil, with: Data([1])))
        try await expectEqual(two.load(), Data([1]))
        let lock = try await one.lockRefresh(waiting: .seconds(1))
        await #expect(throws: StoreError.busy) {
            _ = try await two.lockRefresh(waiting: .milliseconds(20))
        }
        lock.release()
        try await two.lockRefresh(waiting: .seconds(5)).release()
    }

    @Test func `only the owner can access the folder and its files`() async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let store = FileStore(folder: url)
        _ = try await store.replace(nil, with: Data([1]))
        try await store.lockRefresh(waiting: .seconds(1)).release()
        try expectEqual(mode(url), 0o700)
        for name in ["session", "write.lock", "refresh.lock"] {
            try expectEqual(mode(url.appending(path: name)), 0o600, "\(name)")
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        expectEqual(Set(names), ["session", "write.lock", "refresh.lock"])
    }

    @Test(arguments: ["session", "write.lock", "session.new"])
    func `a link instead of a file is refused`(name: String) async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let target = folder.url.appending(path: "target")
        try Data("theirs".utf8).write(to: target)
        _ = try await FileStore(folder: url).replace(nil, with: Data([1]))
        let link = url.appending(path: name)
        try? FileManager.default.removeItem(at: link)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: target)
        await #expect(throws: StoreError.self) {
            _ = try await FileStore(folder: url).replace(
                name == "session" ? Data("theirs".utf8) : Data([1]), with: Data([2]))
        }
        try expectEqual(Data(contentsOf: target), Data("theirs".utf8))
    }

    @Test func `a link instead of the folder is refused`() async throws {
        let folder = try Folder()
        let link = folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
        await #expect(throws: StoreError.self) { _ = try await FileStore(folder: link).load() }
        await #expect(throws: StoreError.self) {
            _ = try await FileStore(folder: link).replace(nil, with: Data([1]))
        }
    }

    @Test func `a folder that others may write is refused`() async throws {
        let folder = try Folder()
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: folder.url.path)
        await #expect(throws: StoreError.self) {
            _ = try await FileStore(folder: folder.url).load()
        }
    }

    @Test func `an interrupted write leaves the old record`() async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let store = FileStore(folder: url)
        _ = try await store.replace(nil, with: Data("old".utf8))
        try Data("half of a ne".utf8).write(to: url.appending(path: "session.new"))
        try await expectEqual(store.load(), Data("old".utf8))
        #expect(try await store.replace(Data("old".utf8), with: Data("new".utf8)))
        try await expectEqual(store.load(), Data("new".utf8))
    }

    @Test func `a client with a file is still signed in after a restart`() async throws {
        let folder = try Folder()
        let url = folder.url.appending(path: "session")
        let fixture = try await Fixture.expired(store: FileStore(folder: url))
        _ = try await fixture.client.validToken()
        let next = Fixture(
            store: FileStore(folder: url), clock: fixture.clock, server: fixture.server)
        try await expectEqual(next.client.restore()?.user?.id, "ada@example.com")
        try await expectEqual(next.client.validToken().value, "a-1-1")
        _ = await next.client.signOut()
        #expect(!FileManager.default.fileExists(atPath: url.appending(path: "session").path))
    }

    private func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require(attributes[.posixPermissions] as? Int)
    }
}

/// A folder that ends with its test.
final class Folder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "latchkey-\(UUID())")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
