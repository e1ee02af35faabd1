/// The result of one invocation, as far as a gateway distinguishes it.
package enum InvocationOutcome: Sendable, Equatable {
    /// The function's response, byte for byte.
    case returned([UInt8])
    /// The error document of a function that failed, crashed or returned too large a response.
    case failed([UInt8])
    /// The function's own timeout.
    case timedOut
    /// The function has no concurrency left.
    case throttled
    /// The event exceeds Lambda's limit.
    case payloadTooLarge
}

/// Runs a function. `trace` is the trace header of the request. `completion` is called exactly
/// once, on any thread, possibly before this returns.
package typealias InvokeFunction =
    @Sendable (
        _ function: FunctionName, _ payload: [UInt8], _ trace: String,
        _ completion: @escaping @Sendable (InvocationOutcome) -> Void
    ) -> Void
