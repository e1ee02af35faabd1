import LatchkeyUploads

/// A bucket like in S3, and the server that gives out credentials for it.
actor FakeStorage: Transport {
    struct Upload {
        var parts: [Int: Data] = [:]
        let key: String
        let mark: String?
    }

    /// A fault instead of, or after, the effect of a request.
    enum Fault: Sendable {
        case loses
        case answers(Int, String)
        /// It has its effect, and the answer is lost.
        case losesAnswer
        case waits(Gate)
        /// The status is 200.
        case failsLate
    }

    static let key = "users/ada/film.mov"

    let clock = ManualClock()
    private let server: FakeServer
    private(set) var objects: [String: Data] = [:]
    private var marks: [String: String] = [:]
    private(set) var uploads: [String: Upload] = [:]
    private(set) var requests: [String] = []
    private(set) var credentialsGiven = 0
    private var faults: [(operation: String, fault: Fault)] = []
    private var validFrom = 0
    private var endpoint: String? = "https://storage.example.com"
    private var running = 0
    private(set) var runningMax = 0
    private(set) var contentTypes: [String] = []
    private var pageParts = 1000

    init() { server = FakeServer(clock) }

    func setEndpoint(_ text: String?) { endpoint = text }
    func setPageParts(_ count: Int) { pageParts = count }
    /// At the next such request: `create`, `part`, `part 2`, `complete`, `abort`, `list`, `put`.
    func fail(_ operation: String, _ fault: Fault) { faults.append((operation, fault)) }
    /// Ends all credentials that were given out.
    func endCredentials() { validFrom = credentialsGiven + 1 }

    nonisolated func client() -> LatchkeyClient {
        LatchkeyClient(baseURL: FakeServer.url, store: MemoryStore(), transport: self, clock: clock)
    }

    /// An uploader of a user who has signed in.
    nonisolated func uploader(
        _ change: (inout UploadOptions) -> Void = { _ in }
    ) async throws -> Uploader {
        let client = client()
        _ = try await client.logIn(email: "ada@example.com", password: "secret")
        var options = UploadOptions()
        options.partBytes = PartPlan.partBytesMin
        change(&options)
        return Uploader(
            credentials: StorageCredentialsProvider(client: client), transport: self, clock: clock,
            options: options)
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        guard request.url.host() != FakeServer.url.host() else {
            guard request.url.path.hasSuffix("/credentials") else {
                return try await server.send(request)
            }
            return credentials()
        }
        running += 1
        runningMax = max(runningMax, running)
        defer { running -= 1 }
        let operation = self.operation(request)
        requests.append(operation)
        if let type = request.headers["Content-Type"] { contentTypes.append(type) }
        let index = faults.firstIndex {
            operation == $0.operation || operation.hasPrefix("\($0.operation) ")
        }
        let fault = index.map { faults.remove(at: $0).fault }
        switch fault {
        case .loses: throw .lost
        case .answers(let status, let code): return Self.error(status, code)
        case .losesAnswer:
            _ = answer(request, operation)
            throw .lost
        case .failsLate: return Self.error(200, "InternalError")
        case .waits(let gate): await gate.wait()
        case nil: await Task.yield()
        }
        if Task.isCancelled { throw .cancelled }
        return answer(request, operation)
    }

    private func credentials() -> HTTPResponse {
        credentialsGiven += 1
        let end = Date(timeIntervalSince1970: clock.truth + 3600).formatted(.iso8601)
        let place = endpoint.map { #", "endpoint": "\#($0)""# } ?? ""
        return HTTPResponse(
            status: 200,
            body: Data(
                """
                {"credentials": {"accessKeyId": "AKIA", "secretAccessKey": "secret",
                 "sessionToken": "\(credentialsGiven)", "expiration": "\(end)"},
                 "bucket": "films", "prefix": "users/ada/", "region": "eu-central-1"\(place)}
                """.utf8))
    }

    private func operation(_ request: HTTPRequest) -> String {
        let query = query(request)
        switch (request.method, query["uploadId"]) {
        case ("POST", nil): return "create"
        case ("POST", _): return "complete"
        case ("PUT", nil): return "put"
        case ("PUT", _): return "part \(query["partNumber"] ?? "")"
        case ("GET", _): return "list"
        case ("DELETE", _): return "abort"
        default: return request.method
        }
    }

    private func query(_ request: HTTPRequest) -> [String: String] {
        let items = URLComponents(url: request.url, resolvingAgainstBaseURL: true)?.queryItems ?? []
        return Dictionary(items.map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    }

    private func answer(_ request: HTTPRequest, _ operation: String) -> HTTPResponse {
        let token = request.headers["x-amz-security-token"].flatMap { Int($0) } ?? 0
        guard token >= validFrom else { return Self.error(400, "ExpiredToken") }
        let time = Self.seconds(request.headers["x-amz-date"] ?? "")
        guard let time, abs(time - clock.truth) < 900 else {
            return HTTPResponse(
                status: 403, headers: ["Date": Self.date(clock.truth)],
                body: Data("<Error><Code>RequestTimeTooSkewed</Code></Error>".utf8))
        }
        let path = request.url.path
        let key = String(path.drop { $0 == "/" }.replacing("films/", with: "", maxReplacements: 1))
        guard key.hasPrefix("users/ada/") else { return Self.error(403, "AccessDenied") }
        let query = query(request)
        switch operation {
        case "create":
            let id = "upload-\(uploads.count + 1)&x"
            uploads[id] = Upload(key: key, mark: request.headers["x-amz-meta-latchkey-upload"])
            return Self.xml("<R><UploadId>upload-\(uploads.count)&amp;x</UploadId></R>")
        case "put":
            objects[key] = request.body
            return Self.xml("")
        case "HEAD":
            guard let mark = marks[key] else { return HTTPResponse(status: 404) }
            return HTTPResponse(status: 200, headers: ["X-Amz-Meta-Latchkey-Upload": mark])
        default: break
        }
        guard let id = query["uploadId"], var upload = uploads[id] else {
            return Self.error(404, "NoSuchUpload")
        }
        switch operation {
        case "abort":
            uploads[id] = nil
            return HTTPResponse(status: 204)
        case "list": return list(upload, after: query["part-number-marker"])
        case "complete":
            let text = String(decoding: request.body ?? Data(), as: UTF8.self)
            for number in upload.parts.keys {
                guard
                    text.contains(
                        "<PartNumber>\(number)</PartNumber><ETag>&quot;tag-\(number)&quot;</ETag>")
                else { return Self.error(400, "InvalidPart") }
            }
            objects[key] = upload.parts.sorted { $0.key < $1.key }.reduce(Data()) { $0 + $1.value }
            marks[key] = upload.mark
            uploads[id] = nil
            return Self.xml("<R><ETag>&quot;whole&quot;</ETag></R>")
        default:
            let number = query["partNumber"].flatMap { Int($0) } ?? 0
            upload.parts[number] = request.body
            uploads[id] = upload
            return HTTPResponse(status: 200, headers: ["ETag": "\"tag-\(number)\""])
        }
    }

    private func list(_ upload: Upload, after marker: String?) -> HTTPResponse {
        let last = marker.flatMap { Int($0) } ?? 0
        let rest = upload.parts.keys.sorted().filter { $0 > last }
        let page = rest.prefix(pageParts)
        let parts = page.map { number in
            "<Part><PartNumber>\(number)</PartNumber><ETag>&quot;tag-\(number)&quot;</ETag>"
                + "<Size>\(upload.parts[number]?.count ?? 0)</Size></Part>"
        }
        let next = page.last.map { "<NextPartNumberMarker>\($0)</NextPartNumberMarker>" } ?? ""
        return Self.xml(
            "<R><IsTruncated>\(rest.count > page.count)</IsTruncated>\(next)"
                + "\(parts.joined())</R>")
    }

    private static func xml(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, body: Data(text.utf8))
    }

    private static func error(_ status: Int, _ code: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            body: Data("<?xml version=\"1.0\"?>\n<Error><Code>\(code)</Code></Error>".utf8))
    }

    /// The two formats of time: of `x-amz-date`, and of `Date`.
    private static func format(_ text: String) -> DateFormatter {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = .gmt
        format.dateFormat = text
        return format
    }

    private static func seconds(_ text: String) -> Double? {
        format("yyyyMMdd'T'HHmmss'Z'").date(from: text)?.timeIntervalSince1970
    }

    private static func date(_ seconds: Double) -> String {
        format("EEE, dd MMM yyyy HH:mm:ss 'GMT'").string(from: Date(timeIntervalSince1970: seconds))
    }
}
