/// The functions that answer one request at a time, on any thread.
package struct Responder: Sendable {
    package let answer: @Sendable (ReceivedRequest) -> ServerResponse
    /// Called on the same thread after the response was sent, or after its rest was left to the
    /// loop.
    package let afterResponse: @Sendable () -> Void

    package init(
        answer: @escaping @Sendable (ReceivedRequest) -> ServerResponse,
        afterResponse: @escaping @Sendable () -> Void = {}
    ) {
        self.answer = answer
        self.afterResponse = afterResponse
    }
}
