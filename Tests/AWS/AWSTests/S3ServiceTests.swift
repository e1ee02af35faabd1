import HTTPClient

/// The client with an independent implementation of S3 (moto).
@Suite struct S3ServiceTests {
    private let transport = CurlTransport(trust: CertificateTrust { _ in nil }).transport
    private let url: String
    private let bucket = "erase-\(UInt64.random(in: 0...UInt64.max))"

    init() throws {
        url = try MotoServer.shared().url
        try expectEqual(call(.put, "").status, 200)
    }

    private var client: S3Client {
        get throws {
            let url = url
            return S3Client(
                try AWSSettings { ["AWS_REGION": "us-east-1", "AWS_ENDPOINT_URL": url][$0] },
                AWSPorts(transport: transport, clock: .system, random: .system, sleep: { _ in }),
                credentials: .fixed(testKeys), bucket: bucket)
        }
    }

    /// A request to the bucket, without our client.
    @discardableResult
    private func call(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = ""
    ) throws -> HTTPResponse {
        var request = HTTPRequest(method, "\(url)/\(bucket)\(path)", body: Array(body.utf8))
        request.limits.totalMillisecondsMax = 60_000
        let signer = Signer(testKeys, region: "us-east-1", service: "s3")
        return try transport.send(try signer.sign(request, at: WallClock.system.now()))
    }

    @Test func `only objects of the prefix are listed and deleted, whatever their keys`() throws {
        let names = ["a b", "c+d", "e&f<g>", "h%i", "é/ü", "j?k=l#m", "n//o", "../p", "'\""]
        for name in names {
            try call(.put, "/users/1/\(PercentEncoding.encodePath(name))", "x")
        }
        try call(.put, "/users/10/other", "x")
        try call(.put, "/users/1", "x")
        let keys = try client.listObjects(prefix: "users/1/")
        expectEqual(Set(keys), Set(names.map { "users/1/\($0)" }))
        try client.deleteObjects(keys)
        #expect(try client.listObjects(prefix: "users/1/").isEmpty)
        try expectEqual(client.listObjects(prefix: ""), ["users/1", "users/10/other"])
        // Deleting missing objects succeeds.
        try client.deleteObjects(keys)
    }

    @Test func `more than one page is deleted page by page`() throws {
        for number in 0..<1005 { try call(.put, "/p/\(number)", "x") }
        var counts: [Int] = []
        while true {
            let keys = try client.listObjects(prefix: "p/")
            guard !keys.isEmpty else { break }
            counts.append(keys.count)
            try client.deleteObjects(keys)
        }
        expectEqual(counts, [1000, 5])
    }

    @Test func `uploads under way are listed and aborted`() throws {
        for path in ["/users/1/a%20b", "/users/1/c", "/users/2/other"] {
            try expectEqual(call(.post, "\(path)?uploads=").status, 200)
        }
        let uploads = try client.listUploads(prefix: "users/1/")
        expectEqual(uploads.map(\.key).sorted(), ["users/1/a b", "users/1/c"])
        for upload in uploads { try client.abort(upload) }
        for upload in uploads { try client.abort(upload) }
        #expect(try client.listUploads(prefix: "users/1/").isEmpty)
        try expectEqual(client.listUploads(prefix: "users/").count, 1)
    }
}
