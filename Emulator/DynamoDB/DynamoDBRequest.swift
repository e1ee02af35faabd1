/// The parts of an HTTP request that the service needs.
package struct DynamoDBRequest: Sendable {
    package var method: String
    /// `X-Amz-Target`
    package let target: String?
    /// nil for an unknown one.
    let operation: DynamoDBOperation?
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
        operation = target.flatMap(DynamoDBOperation.init(target:))
        self.contentType = contentType
        self.body = body
        self.access = access
    }

    /// `GetItem`; the target's last part for an unknown operation.
    package var action: String {
        operation?.rawValue ?? target?.split(separator: ".").last.map(String.init) ?? ""
    }

    package static func serves(target: String) -> Bool {
        target.utf8.starts(with: DynamoDBOperation.prefix.utf8)
    }

    package static let operations = DynamoDBOperation.allCases.map(\.rawValue).sorted()
}

enum DynamoDBBodyError {
    case unreadable
    case tooLarge
}

/// An authentication or authorisation error. The caller of the service verifies the signature; the
/// service renders the error.
package struct DynamoDBAccessError: Error, Sendable, Equatable {
    let code: String
    let message: String

    package init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}
