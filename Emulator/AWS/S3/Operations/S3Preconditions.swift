internal import Bytes
internal import Time

/// Conditional request headers (RFC 9110 section 13).
struct S3Preconditions {
    private let ifMatch: String?
    private let ifNoneMatch: String?
    private let ifModifiedSince: Instant?
    private let ifUnmodifiedSince: Instant?

    enum Outcome: Equatable {
        case go
        case notModified
        case failed(String)
    }

    /// `prefix` is `x-amz-copy-source-` for the conditions on a copy's source.
    init(_ request: S3Request, prefix: String = "") {
        ifMatch = request.header("\(prefix)if-match")
        ifNoneMatch = request.header("\(prefix)if-none-match")
        func date(_ name: String) -> Instant? {
            request.header(prefix + name).flatMap { Instant(httpDate: $0) }
        }
        ifModifiedSince = date("if-modified-since")
        ifUnmodifiedSince = date("if-unmodified-since")
    }

    func judge(_ object: StoredObject) -> Outcome {
        // HTTP dates have whole seconds.
        let modified = Instant(seconds: object.modifiedAt.seconds)
        if let ifMatch {
            guard Self.names(ifMatch, object.etag) else { return .failed("If-Match") }
        } else if let ifUnmodifiedSince, modified > ifUnmodifiedSince {
            return .failed("If-Unmodified-Since")
        }
        if let ifNoneMatch {
            return Self.names(ifNoneMatch, object.etag) ? .notModified : .go
        }
        if let ifModifiedSince, modified <= ifModifiedSince { return .notModified }
        return .go
    }

    static func names(_ list: String, _ etag: String) -> Bool {
        list.split(separator: ",").contains { entry in
            let name = bare(entry.drop { $0 == " " })
            return name == "*" || name.isSame(as: etag)
        }
    }

    /// An entity tag without quotes; S3 has no weak ones.
    static func bare(_ text: Substring) -> String {
        let trimmed = text.utf8.filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: " ") }
        return String(decoding: trimmed, as: UTF8.self)
    }

    /// The condition of a write.
    static func ofWrite(_ request: S3Request) throws(S3Failure) -> WriteCondition {
        switch (request.header("if-none-match"), request.header("if-match")) {
        case (nil, nil): return .none
        case ("*", nil): return .absent
        case (.some, nil): throw unknown("If-None-Match")
        case (nil, "*"): throw unknown("If-Match")
        case (nil, let etag?): return .etag(bare(etag[...]))
        case (.some, .some):
            throw notImplemented(
                "If-Match,If-None-Match",
                "Multiple conditional request headers present in the request")
        }
    }

    /// The entity tag that an object must have to be deleted, or `*`.
    static func ofDeletion(_ request: S3Request) throws(S3Failure) -> String? {
        for header in ["x-amz-if-match-last-modified-time", "x-amz-if-match-size"]
        where request.header(header) != nil {
            throw notImplemented(header)
        }
        return request.header("if-match").map { bare($0[...]) }
    }

    private static func unknown(_ header: String) -> S3Failure {
        notImplemented(
            header, "We don't accept the provided value of \(header) header for this API")
    }

    private static func notImplemented(_ header: String, _ more: String? = nil) -> S3Failure {
        var failure = S3Failure(
            501, "NotImplemented",
            "A header you provided implies functionality that is not implemented",
            ("Header", header))
        if let more { failure.details.append(.init(name: "additionalMessage", text: more)) }
        return failure
    }
}
