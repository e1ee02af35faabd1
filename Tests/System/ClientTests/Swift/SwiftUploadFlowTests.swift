import Foundation
import LatchkeyClient
import LatchkeyCurl
import LatchkeyUploads
import TestSupport

/// Uploads to the emulated S3, with credentials of the functions of `latchkey`.
@Suite("Uploads of the Swift client", .serialized, .hangLimit)
struct SwiftUploadFlowTests {
    private static let part = PartPlan.partBytesMin

    /// A network on which something happens at a part.
    private final class PartNetwork: Transport {
        typealias Action = @Sendable () async throws(TransportError) -> Void

        private let base = LibcurlTransport()
        private let actions = Mutex<[Int: (before: Action?, after: Action?)]>([:])
        private let credentials = Mutex(0)

        /// How often there were credentials.
        var credentialsGiven: Int { credentials.withLock { $0 } }

        /// Once, at the first attempt to send the part.
        func at(_ part: Int, before: Action? = nil, after: Action? = nil) {
            actions.withLock { $0[part] = (before, after) }
        }

        func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
            if request.url.path == "/auth/credentials" { credentials.withLock { $0 += 1 } }
            let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems
            let part = items?.first { $0.name == "partNumber" }?.value.flatMap { Int($0) }
            let action = part.flatMap { part in actions.withLock { $0.removeValue(forKey: part) } }
            try await action?.before?()
            let answer = try await base.send(request)
            try await action?.after?()
            return answer
        }
    }

    /// A signed-in user with a bucket.
    private struct Fixture {
        let server: DeployedServer
        let network = PartNetwork()
        let client: LatchkeyClient
        let uploader: Uploader
        let folder: TemporaryFolder

        init() async throws {
            server = try DeployedServer()
            folder = try TemporaryFolder()
            client = try server.client(transport: network)
            _ = try await client.signIn(try await server.credential())
            var options = UploadOptions()
            options.partBytes = SwiftUploadFlowTests.part
            options.partsAtOnce = 1
            uploader = Uploader(
                credentials: StorageCredentialsProvider(client: client), transport: network,
                options: options)
        }

        func file(_ count: Int) throws -> URL {
            var bytes = Data(count: count)
            for index in stride(from: 0, to: count, by: 4096) {
                bytes[index] = UInt8(truncatingIfNeeded: index >> 12)
            }
            let file = URL(filePath: folder.file("file-\(count)"))
            try bytes.write(to: file)
            return file
        }

        /// The bucket's contents, read with the developer's key.
        func get(_ path: String) async throws -> HTTPResponse {
            let credentials = try await client.storageCredentials()
            let bucket = "\(server.emulator.awsURL)/\(credentials.bucket)"
            let url = try #require(URL(string: "\(bucket)/\(path)"))
            var request = HTTPRequest("GET", url)
            let key = EmulatorProcess.developerKey
            RequestSignature(
                accessKeyID: key, secretAccessKey: key, sessionToken: nil,
                region: credentials.region
            ).sign(&request, at: Date())
            return try await LibcurlTransport().send(request)
        }

        func content(_ object: UploadedObject) async throws -> Data {
            let key = object.key.split(separator: "/").map { FormEncoding.escape(String($0)) }
            let answer = try await get(key.joined(separator: "/"))
            expectEqual(answer.status, 200)
            return answer.body
        }

        /// Whether the bucket has parts that no object has.
        func hasParts() async throws -> Bool {
            let answer = try await get("?uploads")
            expectEqual(answer.status, 200)
            return String(decoding: answer.body, as: UTF8.self).contains("<Upload>")
        }
    }

    @Test func `files of all sizes arrive whole`() async throws {
        let fixture = try await Fixture()
        let part = Self.part
        for count in [0, 1, part - 1, part, part + 1] {
            let file = try fixture.file(count)
            let object = try await fixture.uploader.upload(file, as: "films/one & \(count).mov")
            #expect(object.key.hasSuffix("/films/one & \(count).mov"))
            try await expectEqual(fixture.content(object), Data(contentsOf: file))
        }
        #expect(try await !fixture.hasParts())
    }

    @Test func `an upload survives expired credentials and a lost answer`()
        async throws
    {
        let fixture = try await Fixture()
        let file = try fixture.file(3 * Self.part + 1)
        let server = fixture.server
        fixture.network.at(
            2,
            before: { () async throws(TransportError) in
                // To STS they are older then than any credentials.
                let moved = try? await server.control("POST", "/_emulator/clock", ["seconds": 7200])
                #expect(moved != nil)
            })
        fixture.network.at(3, after: { () async throws(TransportError) in throw .lost })
        let object = try await fixture.uploader.upload(file, as: "film.mov")
        expectEqual(fixture.network.credentialsGiven, 2)
        try await expectEqual(fixture.content(object), Data(contentsOf: file))
        #expect(try await !fixture.hasParts())
    }

    @Test func `a cancelled upload leaves no parts`() async throws {
        let fixture = try await Fixture()
        let file = try fixture.file(3 * Self.part)
        let running = Mutex<Task<UploadedObject, any Error>?>(nil)
        fixture.network.at(
            2,
            after: { () async throws(TransportError) in
                running.withLock { $0?.cancel() }
            })
        let uploader = fixture.uploader
        let gate = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate.stream { break }
            return try await uploader.upload(file, as: "film.mov")
        }
        running.withLock { $0 = task }
        gate.continuation.yield()
        await #expect(throws: UploadError.cancelled) { _ = try await task.value }
        #expect(try await !fixture.hasParts())
    }

    @Test func `another user's prefix is refused`() async throws {
        let fixture = try await Fixture()
        let other = try fixture.server.client()
        _ = try await other.signIn(try await fixture.server.credential(subject: "eve"))
        let own = try await other.storageCredentials().prefix
        // The functions give out nothing for it,
        let request = StorageRequest(prefix: own)
        let asking = Uploader(
            credentials: StorageCredentialsProvider(client: fixture.client, request: request))
        let file = try fixture.file(1)
        let object = try await asking.upload(file, as: "photo.jpg")
        #expect(!object.key.hasPrefix(own), "\(object.key)")
        // and S3 refuses it.
        let unfinished = try JSONDecoder().decode(
            UnfinishedUpload.self,
            from: Data(
                """
                {"key": "\(own)film.mov", "uploadID": "x", "partBytes": 5242880,
                 "totalBytes": 1, "modifiedAt": 0, "mark": ""}
                """.utf8))
        await #expect(throws: UploadError.refused(status: 403, code: "AccessDenied")) {
            try await fixture.uploader.discard(unfinished)
        }
    }
}
