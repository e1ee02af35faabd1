internal import CHTTPServer
internal import Glibc
internal import Synchronization

/// A response body that is sent while it is written, such as server-sent events.
///
/// Bytes that the client has not received yet are buffered up to a limit. A client that is too slow
/// loses its connection.
package final class ResponseStream: Sendable {
    private struct State: Sendable {
        var waiting: [UInt8] = []
        var isEnded = false
        var suspended: SuspendedConnection?
    }

    private let state = Mutex(State())
    private let waitingBytesMax: Int

    package init(waitingBytesMax: Int = 1 << 20) { self.waitingBytesMax = waitingBytesMax }

    /// Whether written bytes can still be sent.
    package var isOpen: Bool { state.withLock { !$0.isEnded } }

    /// Returns false if the stream has ended: because of `end`, with the connection, or because the
    /// client is too slow.
    @discardableResult
    package func write(_ bytes: [UInt8]) -> Bool {
        update { state in
            guard !state.isEnded else { return }
            if state.waiting.count + bytes.count > waitingBytesMax {
                state.isEnded = true
                state.waiting = []
            } else {
                state.waiting += bytes
            }
        }
        return isOpen
    }

    /// Ends the stream after the bytes written so far.
    package func end() { update { $0.isEnded = true } }

    private func update(_ change: (inout State) -> Void) {
        let suspended = state.withLock { state in
            change(&state)
            defer { state.suspended = nil }
            return state.suspended
        }
        // This is done after the lock is released, because the daemon's thread takes the lock as
        // soon as it wakes.
        suspended?.resume()
    }

    /// Called when the daemon can send more. If there are no bytes, the connection is suspended
    /// until some are written.
    fileprivate func read(
        into buffer: UnsafeMutableRawBufferPointer, on connection: SuspendedConnection
    ) -> Int {
        state.withLock { state in
            guard state.waiting.isEmpty else {
                let count = min(buffer.count, state.waiting.count)
                state.waiting.withUnsafeBytes {
                    buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
                }
                state.waiting.removeFirst(count)
                return count
            }
            guard !state.isEnded else { return Self.endOfStream }
            connection.suspend()
            state.suspended = connection
            return 0
        }
    }

    /// MHD_CONTENT_READER_END_OF_STREAM
    private static let endOfStream = -1

    /// The connection has ended and must not be resumed.
    fileprivate func close() {
        state.withLock { state in
            state.isEnded = true
            state.waiting = []
            state.suspended = nil
        }
    }

    /// Ends the stream if the client has disconnected: libmicrohttpd does not poll a suspended
    /// connection.
    func endIfDeserted(by connection: ConnectionState) {
        let isSuspended = state.withLock { $0.suspended != nil }
        if isSuspended, connection.hasHungUp { end() }
    }
}

/// A stream as libmicrohttpd reads it. libmicrohttpd owns it until the response is destroyed.
final class StreamReader: Sendable {
    let stream: ResponseStream
    let connection: ConnectionState
    private let suspended: SuspendedConnection
    private let streams: OpenStreams

    static let blockBytes = 16 << 10

    init(
        _ stream: ResponseStream, _ connection: ConnectionState, _ suspended: SuspendedConnection,
        _ streams: OpenStreams
    ) {
        self.stream = stream
        self.connection = connection
        self.suspended = suspended
        self.streams = streams
    }

    /// nil if there is no memory, or the server is stopping.
    func response() -> OpaquePointer? {
        guard streams.insert(self) else { return nil }
        // The reference is released when the response is destroyed, or below if there is no
        // response.
        let context = Unmanaged.passRetained(self)
        let made = MHD_create_response_from_callback(
            UInt64.max, Self.blockBytes,
            { context, _, buffer, bytesMax in
                guard let context, let buffer else { return -1 }
                let reader = Unmanaged<StreamReader>.fromOpaque(context).takeUnretainedValue()
                return reader.stream.read(
                    into: UnsafeMutableRawBufferPointer(start: buffer, count: bytesMax),
                    on: reader.suspended)
            }, context.toOpaque(),
            { context in
                guard let context else { return }
                Unmanaged<StreamReader>.fromOpaque(context).takeRetainedValue().close()
            })
        if made == nil { context.release() }
        return made
    }

    private func close() {
        stream.close()
        streams.remove(self)
    }
}

/// The open streams; a daemon must not be stopped while one is suspended.
final class OpenStreams: Sendable {
    private struct State: Sendable {
        var readers: [ObjectIdentifier: StreamReader] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    func insert(_ reader: StreamReader) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.readers[ObjectIdentifier(reader)] = reader
            return true
        }
    }

    func remove(_ reader: StreamReader) {
        state.withLock { _ = $0.readers.removeValue(forKey: ObjectIdentifier(reader)) }
    }

    /// Ends all streams; no more can be opened.
    func close() {
        state.withLock { $0.isClosed = true }
        for reader in all { reader.stream.end() }
    }

    var all: [StreamReader] { state.withLock { Array($0.readers.values) } }
}
