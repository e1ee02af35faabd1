internal import CPosix
internal import Glibc

/// An epoll set. Any thread may use it.
final class EventSet: Sendable {
    private let set: Int32

    init() throws(ListenFailure) {
        set = latchkey_epoll_open()
        guard set >= 0 else { throw ListenFailure(call: "epoll_create1", code: -set) }
    }

    deinit { close(set) }

    /// Reports that there is input, repeatedly until it is read.
    func add(_ descriptor: Int32, _ token: UInt64) { latchkey_epoll_add(set, descriptor, 0, token) }

    /// Reports one event, to one thread.
    /// - Parameter isNew: the set does not have the descriptor yet.
    func watchOnce(_ descriptor: Int32, forOutput: Bool, _ token: UInt64, isNew: Bool) {
        latchkey_epoll_once(set, descriptor, forOutput ? 1 : 0, token, isNew ? 1 : 0)
    }

    func remove(_ descriptor: Int32) { latchkey_epoll_remove(set, descriptor) }

    /// Fills in the tokens of what has happened and returns their number.
    /// - Parameter milliseconds: negative for no limit.
    func wait(_ tokens: inout [UInt64], milliseconds: Int32) -> Int {
        Int(max(0, latchkey_epoll_wait(set, &tokens, Int32(tokens.count), milliseconds)))
    }
}
