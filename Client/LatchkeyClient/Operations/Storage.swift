/// Which storage credentials are wanted.
public struct StorageRequest: Equatable, Sendable {
    public enum Access: String, Sendable {
        case read, readwrite
    }

    public var access: Access?
    /// Below the user's own prefix.
    public var prefix: String?
    /// From 900 to 3600 seconds.
    public var durationSeconds: Int?

    public init(access: Access? = nil, prefix: String? = nil, durationSeconds: Int? = nil) {
        self.access = access
        self.prefix = prefix
        self.durationSeconds = durationSeconds
    }
}

/// Credentials of AWS for the user's part of a bucket.
public struct StorageCredentials: Equatable, Sendable {
    public let accessKeyID: String
    public let secretAccessKey: String
    public let sessionToken: String
    /// As the server wrote it: RFC 3339.
    public let expiration: String
    public let bucket: String
    /// Keys of objects begin with it.
    public let prefix: String
    public let region: String
    /// Instead of AWS.
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
        let body = try await call(
            .storageCredentials,
            body: .members([
                "access": request.access?.rawValue.json, "prefix": request.prefix?.json,
                "durationSeconds": request.durationSeconds.map { .integer(Int64($0)) },
            ])
        ).body
        let keys = body["credentials"]
        guard let id = keys?["accessKeyId"]?.text, let secret = keys?["secretAccessKey"]?.text,
            let token = keys?["sessionToken"]?.text, let expiration = keys?["expiration"]?.text,
            let bucket = body["bucket"]?.text, let prefix = body["prefix"]?.text,
            let region = body["region"]?.text
        else { throw .unavailable(retryAfter: nil) }
        return StorageCredentials(
            accessKeyID: id, secretAccessKey: secret, sessionToken: token, expiration: expiration,
            bucket: bucket, prefix: prefix, region: region, endpoint: body["endpoint"]?.text)
    }
}
