/// The parts of an HTTP request that the service needs.
package struct DynamoDBRequest: Sendable {
    package var method: String
    /// `X-Amz-Target`
    package var target: String?
    /// `Content-Type`
    package var contentType: String?
    package var body: [UInt8]
    /// The result of the caller's signature verification; nil if valid or not checked.
    package var access: DynamoDBAccessError?
    package var coding = DynamoDBMessageCoding()
    /// `Host`
    package var host: String?
    /// The request in the emulator's traces.
    package var origin: WriteOrigin?
    /// Why `decode` could not read the body.
    var bodyError: DynamoDBBodyError?

    package init(
        method: String = "POST", target: String?, contentType: String?, body: [UInt8],
        access: DynamoDBAccessError? = nil
    ) {
        self.method = method
        self.target = target
        self.contentType = contentType
        self.body = body
        self.access = access
    }
}

enum DynamoDBBodyError {
    case unreadable
    case tooLarge
}

/// Authentication and authorisation errors. The caller of the service verifies the signature; the
/// service renders the error.
package enum DynamoDBAccessError: Error, Sendable, Equatable {
    case missingToken
    case unknownKey
    case badSignature(String)
    case expiredToken
    case denied(String)
}
