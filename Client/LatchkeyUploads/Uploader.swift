public import Foundation
public import LatchkeyClient

/// Uploads files to the user's storage, large ones in parts, with credentials that are renewed when
/// necessary.
///
/// ```swift
/// let uploader = Uploader(credentials: StorageCredentialsProvider(client: client))
/// let object = try await uploader.upload(url, as: "photos/cat.jpg") { progress in
///     print(progress.sentBytes, "of", progress.totalBytes)
/// }
/// print(object.key)
/// ```
///
/// A part that fails is sent again. When an upload fails for good, or its task is cancelled, its
/// parts are removed, unless ``UploadOptions/keepsParts`` is set.
public struct Uploader: Sendable {
    private let credentials: StorageCredentialsProvider
    private let transport: any Transport
    private let clock: any SessionClock
    private let options: UploadOptions

    public init(
        credentials: StorageCredentialsProvider, transport: any Transport = URLSessionTransport(),
        clock: any SessionClock = SystemClock(), options: UploadOptions = UploadOptions()
    ) {
        self.credentials = credentials
        self.transport = transport
        self.clock = clock
        self.options = options
    }

    /// Uploads a file.
    ///
    /// - Parameters:
    ///   - file: a file on this device.
    ///   - name: the name of the object below the prefix of the credentials.
    ///   - contentType: the content type of the object.
    ///   - unfinished: an earlier upload of the same file: only its missing parts are sent.
    ///   - progress: is called after each part.
    public func upload(
        _ file: URL, as name: String, contentType: String? = nil,
        resuming unfinished: UnfinishedUpload? = nil,
        progress: (@Sendable (UploadProgress) -> Void)? = nil
    ) async throws(UploadError) -> UploadedObject {
        guard Self.isName(name) else { throw .invalidName }
        let source = try FileSource(file)
        let bucket = Bucket(
            credentials: credentials, transport: transport, clock: clock, options: options)
        let object = try await bucket.object(named: name)
        let report = { @Sendable (sent: Int, unfinished: UnfinishedUpload?) -> Void in
            progress?(
                UploadProgress(
                    sentBytes: sent, totalBytes: source.byteCount, unfinished: unfinished))
        }
        let plan = try PartPlan(bytes: source.byteCount, partBytes: options.partBytes)
        if plan.count <= 1, unfinished == nil {
            let body = try await source.read(0..<source.byteCount)
            try await bucket.put(body, to: object, contentType: contentType)
            report(source.byteCount, nil)
        } else {
            try await MultipartUpload(
                bucket: bucket, object: object, source: source, options: options, report: report
            ).run(plan, contentType: contentType, resuming: unfinished)
        }
        return UploadedObject(bucket: object.bucket, key: object.key, bytes: source.byteCount)
    }

    /// Removes the parts of an upload that will not be resumed.
    public func discard(_ unfinished: UnfinishedUpload) async throws(UploadError) {
        let bucket = Bucket(
            credentials: credentials, transport: transport, clock: clock, options: options)
        try await bucket.abort(unfinished.uploadID, of: try await bucket.object(unfinished.key))
    }

    /// Rejects empty and dot segments: an HTTP client may resolve them, and would then request
    /// another object.
    private static func isName(_ name: String) -> Bool {
        (1...900).contains(name.utf8.count)
            && name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .allSatisfy { part in
                    !part.isEmpty && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
                }
    }
}

/// The options for uploads.
public struct UploadOptions: Sendable {
    /// The size of a part, at least 5 MiB. Larger parts are used for a file that would otherwise
    /// have more than 10,000 parts.
    public var partBytes = 8 << 20
    /// How many parts are sent, and kept in memory, at a time.
    public var partsAtOnce = 3
    /// How often a request is sent before the upload fails.
    public var attemptsMax = 5
    /// The limit for one part.
    public var requestTimeout: Duration = .seconds(120)
    /// Whether an upload that has failed, or was cancelled, can be resumed. Its parts cost storage
    /// until it is resumed or discarded.
    public var keepsParts = false
    /// Allows `http` to machines other than this one.
    public var allowsInsecureHTTP = false
    /// The source of random bytes.
    public var random: @Sendable (_ count: Int) -> [UInt8] = Options().random

    public init() {}
}

/// The progress of an upload.
public struct UploadProgress: Equatable, Sendable {
    public let sentBytes: Int
    public let totalBytes: Int
    /// Store this value to be able to resume the upload. The value is nil for a file of one part.
    public let unfinished: UnfinishedUpload?
}

/// An upload of which some parts have been sent.
public struct UnfinishedUpload: Codable, Equatable, Sendable {
    public let key: String
    let uploadID: String
    let partBytes: Int
    let totalBytes: Int
    /// The file's modification time, in seconds since 1970. The upload of a changed file is not
    /// resumed.
    let modifiedAt: Double
    /// The mark with which `complete` recognises the upload's object.
    let mark: String
}

/// A file in the user's storage.
public struct UploadedObject: Equatable, Sendable {
    public let bucket: String
    public let key: String
    public let bytes: Int

    package init(bucket: String, key: String, bytes: Int) {
        self.bucket = bucket
        self.key = key
        self.bytes = bytes
    }
}

/// Why a file was not uploaded.
public enum UploadError: Error, Equatable, Sendable {
    /// The client has no credentials for the storage.
    case session(AuthError)
    /// The storage refuses the request, for example with `AccessDenied`.
    case refused(status: Int, code: String?)
    /// The storage did not answer, or had an outage, even after several attempts.
    case unavailable
    case fileUnreadable
    /// The file has changed since the upload was begun.
    case fileChanged
    case tooLarge
    case invalidName
    /// The storage no longer has the parts of the upload to be resumed.
    case unfinishedUploadGone
    /// The storage's URL is not an HTTPS URL.
    case insecureEndpoint
    case cancelled
}
