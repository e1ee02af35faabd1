package import EmulatorTemplate

/// How one invocation ended, as far as a gateway tells the endings apart.
package enum InvocationOutcome: Sendable, Equatable {
    /// What the function returned, byte for byte.
    case returned([UInt8])
    /// The error document of a function that failed, crashed or returned too much.
    case failed([UInt8])
    /// The function's own time-out.
    case timedOut
    /// No concurrency is left for it.
    case throttled
    /// The event is larger than Lambda takes.
    case payloadTooLarge
}

/// Runs a function. `completion` is called exactly once, on any thread, perhaps before this
/// returns.
package typealias InvokeFunction =
    @Sendable (
        _ function: FunctionName, _ payload: [UInt8],
        _ completion: @escaping @Sendable (InvocationOutcome) -> Void
    ) -> Void
