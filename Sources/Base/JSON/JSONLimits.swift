/// Limits for a document from outside.
package struct JSONLimits: Sendable, Equatable {
    package var bytesMax: Int
    /// Nesting of arrays and objects; a scalar has depth 0.
    package var depthMax: Int
    /// Members of one object; nil means that only `bytesMax` limits them.
    package var membersMax: Int?

    package init(bytesMax: Int, depthMax: Int, membersMax: Int? = nil) {
        self.bytesMax = bytesMax
        self.depthMax = depthMax
        self.membersMax = membersMax
    }

    /// A request body, a token's header or claims.
    package static let request = JSONLimits(bytesMax: 64 << 10, depthMax: 32, membersMax: 256)

    /// A whole event: Lambda's 6 MiB for a synchronous invocation, plus the envelope.
    package static let event = JSONLimits(bytesMax: 7 << 20, depthMax: 64, membersMax: 4096)

    /// A JWKS or a discovery document.
    package static let keySet = JSONLimits(bytesMax: 1 << 20, depthMax: 16, membersMax: 1024)

    /// The response of a service that we call: DynamoDB sends at most 16 MB.
    package static let response = JSONLimits(bytesMax: 17 << 20, depthMax: 64, membersMax: nil)
}
