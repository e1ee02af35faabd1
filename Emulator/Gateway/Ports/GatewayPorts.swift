package import Cryptography
package import EmulatorBase
package import Time

/// The dependencies of the gateway.
package struct GatewayPorts: Sendable {
    package var invoke: InvokeFunction
    package var clock: WallClock
    package var random: RandomSource
    /// Calls back after the delay, for the integration timeout. Only used if a function's timeout
    /// is longer than the gateway's.
    package var after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void
    /// GETs a document, for JWT authorizers; nil for any status but 200. The implementation limits
    /// the time: API Gateway waits 1.5 s.
    package var fetch: FetchDocument
    /// Verifies Signature Version 4 and the caller's permission for `AWS_IAM` routes.
    package var identify: IdentifyCaller

    package init(
        invoke: @escaping InvokeFunction, clock: WallClock, random: RandomSource,
        after: @escaping @Sendable (Span, @escaping @Sendable () -> Void) -> Void,
        fetch: @escaping FetchDocument, identify: @escaping IdentifyCaller
    ) {
        self.invoke = invoke
        self.clock = clock
        self.random = random
        self.after = after
        self.fetch = fetch
        self.identify = identify
    }
}

package typealias FetchDocument =
    @Sendable (_ url: String, _ completion: @escaping @Sendable ([UInt8]?) -> Void) -> Void

/// `action` is `execute-api:Invoke` or `lambda:InvokeFunctionUrl`; returns nil to refuse.
package typealias IdentifyCaller =
    @Sendable (_ request: ServerRequest, _ action: String, _ resource: String) -> IAMCaller?

/// The caller that signed a request.
package struct IAMCaller: Sendable, Equatable {
    package var accessKey: String
    package var accountID: String
    package var callerID: String
    package var userARN: String
    package var userID: String

    package init(
        accessKey: String, accountID: String, callerID: String, userARN: String, userID: String
    ) {
        self.accessKey = accessKey
        self.accountID = accountID
        self.callerID = callerID
        self.userARN = userARN
        self.userID = userID
    }
}
