package import Time

/// Callbacks for invocations. They must not block.
package struct InvocationObservers: Sendable {
    /// Called for every invocation that ran, before its caller gets the result.
    package var returned:
        (
            @Sendable (
                _ function: String, _ traceID: String, _ payload: [UInt8], InvocationResult
            ) -> Void
        )?
    /// Called for every invocation that ran, once its log is complete.
    package var recorded: (@Sendable (InvocationRecord) -> Void)?
    /// Called for every invocation that did not run because there were too many.
    package var refused: (@Sendable (RefusedInvocation) -> Void)?

    package init(
        returned: (@Sendable (String, String, [UInt8], InvocationResult) -> Void)? = nil,
        recorded: (@Sendable (InvocationRecord) -> Void)? = nil,
        refused: (@Sendable (RefusedInvocation) -> Void)? = nil
    ) {
        self.returned = returned
        self.recorded = recorded
        self.refused = refused
    }
}

package struct RefusedInvocation: Sendable {
    package let function: String
    package let requestID: String
    package let traceID: String
    package let at: Instant
    package let reason: String
}
