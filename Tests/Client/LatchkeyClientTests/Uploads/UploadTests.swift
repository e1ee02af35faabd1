import LatchkeyUploads

@Suite("Uploads", .timeLimit(.minutes(2)))
struct UploadTests {
    static let part = PartPlan.partBytesMin

    /// A file whose parts differ.
    struct Film {
        let folder: TemporaryFolder
        let bytes: Data
        let url: URL

        init(_ count: Int) throws {
            folder = try TemporaryFolder()
            var bytes = Data(count: count)
            for index in stride(from: 0, to: count, by: 4096) {
                bytes[index] = UInt8(truncatingIfNeeded: index >> 12)
            }
            self.bytes = bytes
            try folder.write(Array(bytes), to: "film.mov")
            url = URL(filePath: folder.file("film.mov"))
        }
    }

    @Test(
        arguments: [
            (0, ["put"]), (1, ["put"]), (part - 1, ["put"]), (part, ["put"]),
            (part + 1, ["create", "part 1", "part 2", "complete"]),
            (2 * part, ["create", "part 1", "part 2", "complete"]),
        ])
    func `files of all sizes arrive whole`(count: Int, requests: [String]) async throws {
        let storage = FakeStorage()
        let film = try Film(count)
        let object = try await storage.uploader().upload(
            film.url, as: "film.mov", contentType: "video/quicktime")
        expectEqual(object, UploadedObject(bucket: "films", key: FakeStorage.key, bytes: count))
        await expectEqual(storage.objects, [FakeStorage.key: film.bytes])
        await expectEqual(storage.requests.sorted(), requests.sorted())
        await expectEqual(storage.contentTypes.first, "video/quicktime")
        await expectEqual(storage.credentialsGiven, 1)
        #expect(await storage.uploads.isEmpty)
    }

    @Test func `credentials that expire during an upload are renewed once`() async throws {
        let storage = FakeStorage()
        let film = try Film(4 * Self.part)
        let gate = Gate()
        await storage.fail("part 3", .waits(gate))
        let uploader = try await storage.uploader { $0.partsAtOnce = 1 }
        let upload = Task { try await uploader.upload(film.url, as: "film.mov") }
        await gate.reached()
        await storage.endCredentials()
        await gate.open()
        _ = try await upload.value
        await expectEqual(storage.objects[FakeStorage.key], film.bytes)
        await expectEqual(storage.credentialsGiven, 2)
        // Part 3 was sent twice.
        await expectEqual(storage.requests.count, 1 + 4 + 1 + 1)
    }

    @Test func `credentials are renewed before they expire`() async throws {
        let storage = FakeStorage()
        let film = try Film(3 * Self.part)
        let gate = Gate()
        await storage.fail("part 2", .waits(gate))
        let uploader = try await storage.uploader { $0.partsAtOnce = 1 }
        let upload = Task { try await uploader.upload(film.url, as: "film.mov") }
        await gate.reached()
        storage.clock.advance(by: .seconds(3580))
        await storage.fail("part 2", .loses)
        await gate.open()
        _ = try await upload.value
        await expectEqual(storage.objects[FakeStorage.key], film.bytes)
        await expectEqual(storage.credentialsGiven, 2)
    }

    @Test(arguments: ["create", "part 2", "complete"])
    func `requests are sent again`(operation: String) async throws {
        for fault in [
            FakeStorage.Fault.loses, .losesAnswer, .answers(503, "SlowDown"),
            .answers(500, "InternalError"), .answers(429, "Busy"), .failsLate,
        ] {
            let storage = FakeStorage()
            let film = try Film(2 * Self.part)
            await storage.fail(operation, fault)
            let result = try await storage.uploader().upload(film.url, as: "film.mov")
            expectEqual(result.key, FakeStorage.key, "\(fault)")
            await expectEqual(storage.objects[FakeStorage.key], film.bytes, "\(fault)")
            // A repetition after a lost answer may begin another upload.
            if operation != "create" { #expect(await storage.uploads.isEmpty) }
        }
    }

    @Test func `a wrong clock does not break uploads`() async throws {
        let storage = FakeStorage()
        let film = try Film(1)
        storage.clock.setSkew(-86_400)
        _ = try await storage.uploader().upload(film.url, as: "film.mov")
        await expectEqual(storage.requests, ["put", "put"])
    }

    @Test func `a permanent failure leaves no parts`() async throws {
        let film = try Film(3 * Self.part)
        for (operation, code) in [("part 2", "AccessDenied"), ("complete", "InvalidPart")] {
            let storage = FakeStorage()
            await storage.fail(operation, .answers(403, code))
            let uploader = try await storage.uploader()
            await #expect(throws: UploadError.refused(status: 403, code: code)) {
                _ = try await uploader.upload(film.url, as: "film.mov")
            }
            #expect(await storage.uploads.isEmpty)
            #expect(await storage.objects.isEmpty)
        }
        let storage = FakeStorage()
        for _ in 0..<5 { await storage.fail("part 1", .loses) }
        let uploader = try await storage.uploader()
        await #expect(throws: UploadError.unavailable) {
            _ = try await uploader.upload(film.url, as: "film.mov")
        }
        #expect(await storage.uploads.isEmpty)
        await expectEqual(storage.requests.count { $0 == "part 1" }, 5)
        await expectEqual(storage.requests.suffix(2), ["abort", "list"])
    }

    @Test func `an upload that keeps its parts is resumed`() async throws {
        let storage = FakeStorage()
        await storage.setPageParts(1)
        let film = try Film(4 * Self.part)
        let kept = Mutex<UnfinishedUpload?>(nil)
        let uploader = try await storage.uploader {
            $0.keepsParts = true
            $0.partsAtOnce = 1
        }
        await storage.fail("part 3", .answers(403, "AccessDenied"))
        await #expect(throws: UploadError.self) {
            _ = try await uploader.upload(film.url, as: "film.mov") { progress in
                kept.withLock { $0 = progress.unfinished }
            }
        }
        // As an app stores it.
        let data = try JSONEncoder().encode(try #require(kept.withLock { $0 }))
        let unfinished = try JSONDecoder().decode(UnfinishedUpload.self, from: data)
        let sent = Mutex<[Int]>([])
        // With other options, as after an update of the app.
        let next = try await storage.uploader { $0.partBytes = 7 << 20 }
        _ = try await next.upload(film.url, as: "film.mov", resuming: unfinished) { progress in
            sent.withLock { $0.append(progress.sentBytes) }
        }
        await expectEqual(storage.objects[FakeStorage.key], film.bytes)
        expectEqual(sent.withLock { $0 }, [2, 3, 4].map { $0 * Self.part })
        await expectEqual(storage.requests.count { $0 == "part 1" }, 1)

        await #expect(throws: UploadError.unfinishedUploadGone) {
            _ = try await next.upload(film.url, as: "film.mov", resuming: unfinished)
        }
        let other = try Film(4 * Self.part)
        await #expect(throws: UploadError.fileChanged) {
            _ = try await next.upload(other.url, as: "film.mov", resuming: unfinished)
        }
        await #expect(throws: UploadError.fileChanged) {
            _ = try await next.upload(film.url, as: "other.mov", resuming: unfinished)
        }
        try await next.discard(unfinished)
    }

    @Test func `a file that changes during the upload is not uploaded`() async throws {
        let storage = FakeStorage()
        let film = try Film(3 * Self.part)
        let gate = Gate()
        await storage.fail("part 1", .waits(gate))
        let uploader = try await storage.uploader {
            $0.partsAtOnce = 1
            $0.keepsParts = true
        }
        let upload = Task { try await uploader.upload(film.url, as: "film.mov") }
        await gate.reached()
        try film.folder.write([1, 2, 3], to: "film.mov")
        await gate.open()
        await #expect(throws: UploadError.fileChanged) { _ = try await upload.value }
        #expect(await storage.uploads.isEmpty)
    }

    @Test func `few parts are in memory at once`() async throws {
        let storage = FakeStorage()
        let film = try Film(12 * Self.part)
        _ = try await storage.uploader { $0.partsAtOnce = 2 }.upload(film.url, as: "film.mov")
        await expectEqual(storage.runningMax, 2)
        await expectEqual(storage.objects[FakeStorage.key], film.bytes)
    }

    @Test(arguments: ["", "/", "a//b", "../b", "a/..", "./a", "a/", "/a"])
    func `names that could mean another object are refused`(name: String) async throws {
        let storage = FakeStorage()
        let film = try Film(1)
        let uploader = try await storage.uploader()
        await #expect(throws: UploadError.invalidName) {
            _ = try await uploader.upload(film.url, as: name)
        }
        #expect(await storage.requests.isEmpty)
    }

    @Test func `files that cannot be read, and storage without HTTPS, are refused`() async throws {
        let storage = FakeStorage()
        let film = try Film(1)
        let uploader = try await storage.uploader()
        for path in ["/dev/null", film.folder.path, film.folder.file("none")] {
            await #expect(throws: UploadError.fileUnreadable) {
                _ = try await uploader.upload(URL(filePath: path), as: "film.mov")
            }
        }
        await storage.setEndpoint("http://storage.example.com")
        let insecure = try await storage.uploader()
        await #expect(throws: UploadError.insecureEndpoint) {
            _ = try await insecure.upload(film.url, as: "film.mov")
        }
        #expect(await storage.requests.isEmpty)
        let client = storage.client()
        let signedOut = Uploader(
            credentials: StorageCredentialsProvider(client: client), transport: storage)
        await #expect(throws: UploadError.session(.signedOut)) {
            _ = try await signedOut.upload(film.url, as: "film.mov")
        }
    }
}
