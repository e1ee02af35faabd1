package import EmulatorHTTP
package import Cryptography
package import Time

/// What the gateway needs from outside.
package struct GatewayPorts: Sendable {
    package var invoke: InvokeFunction
    package var clock: WallClock
    package var random: RandomSource
    /// Calls back after that time, for the limit of an integration. Asked only where a function
    /// may run longer than its gateway waits.
    package var after: @Sendable (_ delay: Span, _ action: @escaping @Sendable () -> Void) -> Void
    /// GETs a document, for JWT authorizers; nil for anything but a 200. A limit of time is the
    /// fetcher's: API Gateway waits 1.5 s.
    package var fetch: FetchDocument
    /// Verifies Signature Version 4 where `AWS_IAM` asks for it, and the caller's permission.
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

/// `action` is `execute-api:Invoke` or `lambda:InvokeFunctionUrl`; nil refuses.
package typealias IdentifyCaller =
    @Sendable (_ request: ServerRequest, _ action: String, _ resource: String) -> IAMCaller?

/// Who signed a request.
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
