package import EmulatorBase

/// A request that faults and gates may delay, repeat, answer or end.
package struct InterceptedCall: Sendable {
    package let subject: FaultSubject
    /// Lets the service process the request; calling it again duplicates the request. With
    /// `isAnswered` the caller gets the response. `done` gets its status.
    package let serve:
        @Sendable (_ isAnswered: Bool, _ done: @escaping @Sendable (Int) -> Void) -> Void
    /// Responds with an error instead.
    package let fail: @Sendable (FaultError) -> Void
    /// Ends the call without a response.
    package let reset: @Sendable () -> Void
    /// Ends the call after a hang.
    package let giveUp: @Sendable () -> Void
    /// The limit of a hang.
    package let hangMillisecondsMax: Int?
    /// Calls back when the caller disconnects.
    package let onLeave: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Called with the IDs of the faults that affect the call.
    package let onFault: @Sendable ([Int]) -> Void

    package init(
        subject: FaultSubject,
        serve: @escaping @Sendable (Bool, @escaping @Sendable (Int) -> Void) -> Void,
        fail: @escaping @Sendable (FaultError) -> Void,
        reset: @escaping @Sendable () -> Void, giveUp: @escaping @Sendable () -> Void,
        hangMillisecondsMax: Int? = nil,
        onLeave: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { _ in },
        onFault: @escaping @Sendable ([Int]) -> Void = { _ in }
    ) {
        self.subject = subject
        self.serve = serve
        self.fail = fail
        self.reset = reset
        self.giveUp = giveUp
        self.hangMillisecondsMax = hangMillisecondsMax
        self.onLeave = onLeave
        self.onFault = onFault
    }

    /// An HTTP request.
    package init(
        _ subject: FaultSubject, _ request: ServerRequest, _ slot: ResponseSlot,
        onFault: @escaping @Sendable ([Int]) -> Void,
        serve: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void
    ) {
        let isHead = request.method == "HEAD"
        self.init(
            subject: subject,
            serve: { isAnswered, done in
                serve(
                    request,
                    ResponseSlot { response in
                        if isAnswered { slot.respond(response) }
                        done(response.status)
                    })
            },
            fail: { error in
                slot.respond(
                    error.response(subject.service, isHead: isHead, isQuery: subject.isQuery))
            },
            reset: { slot.reset() }, giveUp: { slot.reset() }, onLeave: { slot.onClose($0) },
            onFault: onFault)
    }
}
