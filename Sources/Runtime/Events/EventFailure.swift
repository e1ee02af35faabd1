package import JSON

/// Why an event cannot be decoded. This is an error of the host, not of the client: the invocation
/// fails.
package enum EventFailure: Error, Sendable, Equatable {
    case tooLarge
    case notJSON(JSONFailure)
    case notAnObject
    case missing(field: String)
    case wrongType(field: String)
    case bodyNotBase64
    /// An authorizer event was sent to a function that handles requests.
    case authorizerEvent

    /// The message for the invoker, which contains nothing of the event.
    package var message: String {
        switch self {
        case .tooLarge: "The event is larger than \(RequestLimits.eventBytesMax) bytes."
        case .notJSON(let failure): "The event is not valid JSON: \(failure)."
        case .notAnObject: "The event is not a JSON object."
        case .missing(let field): "The event has no \(field)."
        case .wrongType(let field): "The event's \(field) has the wrong type."
        case .bodyNotBase64: "The event's body is not base64, though isBase64Encoded is true."
        case .authorizerEvent: "This function answers requests; it is not an authorizer."
        }
    }
}
