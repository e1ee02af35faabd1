/// The name of a function of the template, compared as bytes.
package struct FunctionName: Sendable, Hashable, CustomStringConvertible {
    private let utf8: [UInt8]

    package init(_ text: String) { utf8 = Array(text.utf8) }

    package var text: String { String(decoding: utf8, as: UTF8.self) }
    package var description: String { text }
}

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
