import Foundation

/// The scope of the requested storage credentials.
public struct StorageRequest: Equatable, Sendable {
    public enum Access: String, Sendable {
        case read, readwrite
    }

    public var access: Access?
    /// A folder below the user's own prefix.
    public var prefix: String?
    /// The lifetime of the credentials, from 900 to 3600 seconds.
    public var durationSeconds: Int?

    public init(access: Access? = nil, prefix: String? = nil, durationSeconds: Int? = nil) {
        self.access = access
        self.prefix = prefix
        self.durationSeconds = durationSeconds
    }
}

/// AWS credentials for the user's part of a bucket.
public struct StorageCredentials: Equatable, Sendable {
    public let accessKeyID: String
    public let secretAccessKey: String
    public let sessionToken: String
    /// A lower bound of the credentials' lifetime when they were issued.
    public let life: Duration
    public let bucket: String
    /// The prefix of the keys of the user's objects.
    public let prefix: String
    public let region: String
    /// The URL of the storage, if it is not AWS.
    public let endpoint: String?
}

extension StorageCredentials: CustomStringConvertible, CustomReflectable {
    public var description: String { "storage credentials for \(bucket)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension LatchkeyClient {
    /// Gets credentials for the user's storage.
    public func storageCredentials(
        _ request: StorageRequest = StorageRequest()
    ) async throws(AuthError) -> StorageCredentials {
        let answer = try await call(
            .storageCredentials,
            body: .members([
                "access": request.access?.rawValue.json, "prefix": request.prefix?.json,
                "durationSeconds": request.durationSeconds.map { .integer(Int64($0)) },
            ]))
        let body = answer.body
        let keys = body["credentials"]
        guard let id = keys?["accessKeyId"]?.text, let secret = keys?["secretAccessKey"]?.text,
            let token = keys?["sessionToken"]?.text,
            let end = keys?["expiration"]?.text.flatMap(Self.seconds),
            let bucket = body["bucket"]?.text, let prefix = body["prefix"]?.text,
            let region = body["region"]?.text
        else { throw .unavailable(retryAfter: nil) }
        let now = answer.response.header("date").flatMap(HTTPDate.seconds)
        let life = end - (now ?? clock.now().timeIntervalSince1970)
        return StorageCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: token,
            life: .seconds(max(0, min(life, 86_400))),
            bucket: bucket, prefix: prefix, region: region, endpoint: body["endpoint"]?.text)
    }

    /// Seconds since 1970 of a time in the format of RFC 3339.
    private static func seconds(_ text: String) -> Double? {
        let fractional = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        let date = (try? fractional.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
        return date?.timeIntervalSince1970
    }
}

/// Credentials for an uploader, renewed before they expire. An uploader asks for them before each
/// part, so they are also renewed during a long upload.
public actor StorageCredentialsProvider {
    private typealias Outcome = Result<StorageCredentials, AuthError>

    private let client: LatchkeyClient
    private let request: StorageRequest
    /// The ID of the session for which `credentials` and `flight` are valid.
    private var session: String?
    private var present: (credentials: StorageCredentials, end: Duration)?
    private var flight: Task<Outcome, Never>?

    public init(client: LatchkeyClient, request: StorageRequest = StorageRequest()) {
        self.client = client
        self.request = request
    }

    /// Credentials that are valid for the given time. Any number of calls share a request.
    public func credentials(
        minimumLife: Duration = .seconds(300)
    ) async throws(AuthError) -> StorageCredentials {
        // Another user may have signed in.
        var now = await client.machine.live?.record.id
        if now == nil { now = try await client.restore()?.id }
        if now != session { (session, present, flight) = (now, nil, nil) }
        if let present, present.end - client.clock.uptime() > minimumLife {
            return present.credentials
        }
        // `flight` keeps the task, so that callers share it, and none of them can cancel it.
        let task = flight ?? Task { await renew(for: now) }
        flight = task
        return try await task.value.get()
    }

    private func renew(for owner: String?) async -> Outcome {
        defer { if session == owner { flight = nil } }
        let start = client.clock.uptime()
        do throws(AuthError) {
            let credentials = try await client.storageCredentials(request)
            if session == owner { present = (credentials, start + credentials.life) }
            return .success(credentials)
        } catch {
            return .failure(error)
        }
    }
}
