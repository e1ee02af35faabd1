/// An error of S3.
struct S3Failure: Error, Equatable {
    let status: Int
    let code: String
    let message: String
    /// Additional elements of the error document, such as `Key`.
    var details: [Detail] = []

    struct Detail: Equatable {
        let name: String
        let text: String
    }

    init(_ status: Int, _ code: String, _ message: String, _ details: (String, String)...) {
        self.status = status
        self.code = code
        self.message = message
        self.details = details.map { Detail(name: $0.0, text: $0.1) }
    }

    static let accessDenied = S3Failure(403, "AccessDenied", "Access Denied")
    static let malformedXML = S3Failure(
        400, "MalformedXML",
        "The XML you provided was not well-formed or did not validate against our published "
            + "schema")
    static let methodNotAllowed = S3Failure(
        405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
    static let entityTooLarge = S3Failure(
        400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
    static let internalError = S3Failure(
        500, "InternalError", "We encountered an internal error. Please try again.")
    static let incompleteBody = S3Failure(
        400, "IncompleteBody",
        "You did not provide the number of bytes specified by the Content-Length HTTP header")

    static func noSuchBucket(_ bucket: String) -> S3Failure {
        S3Failure(
            404, "NoSuchBucket", "The specified bucket does not exist", ("BucketName", bucket))
    }

    static func noSuchKey(_ key: String) -> S3Failure {
        S3Failure(404, "NoSuchKey", "The specified key does not exist.", ("Key", key))
    }

    static func noSuchUpload(_ id: String) -> S3Failure {
        S3Failure(
            404, "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may "
                + "have been aborted or completed.", ("UploadId", id))
    }

    static func invalidArgument(_ message: String, _ name: String, _ value: String) -> S3Failure {
        S3Failure(
            400, "InvalidArgument", message, ("ArgumentName", name), ("ArgumentValue", value))
    }

    static func invalidRequest(_ message: String) -> S3Failure {
        S3Failure(400, "InvalidRequest", message)
    }

    static func preconditionFailed(_ condition: String) -> S3Failure {
        S3Failure(
            412, "PreconditionFailed",
            "At least one of the pre-conditions you specified did not hold",
            ("Condition", condition))
    }

    static func notImplemented(_ name: String) -> S3Failure {
        S3Failure(501, "NotImplemented", "The emulator does not implement \(name)")
    }
}
