internal import Glibc

/// Descriptors 0, 1 and 2, as functions: nothing else uses them.
package struct StandardStreams: Sendable {
    package enum ReadFailure: Error, Sendable, Equatable {
        case tooLarge
        case failed(code: Int32)
    }

    /// Everything up to the end of the input, at most so many bytes.
    package let readInput: @Sendable (_ bytesMax: Int) throws(ReadFailure) -> [UInt8]
    /// False when not everything could be written.
    package let writeOutput: @Sendable ([UInt8]) -> Bool
    /// Nothing is written to the output after this.
    package let closeOutput: @Sendable () -> Void
    package let writeError: @Sendable ([UInt8]) -> Void
    package let inputIsTerminal: @Sendable () -> Bool

    package init(
        readInput: @escaping @Sendable (_ bytesMax: Int) throws(ReadFailure) -> [UInt8],
        writeOutput: @escaping @Sendable ([UInt8]) -> Bool,
        closeOutput: @escaping @Sendable () -> Void = {},
        writeError: @escaping @Sendable ([UInt8]) -> Void,
        inputIsTerminal: @escaping @Sendable () -> Bool
    ) {
        self.readInput = readInput
        self.writeOutput = writeOutput
        self.closeOutput = closeOutput
        self.writeError = writeError
        self.inputIsTerminal = inputIsTerminal
    }

    package static let system = StandardStreams(
        readInput: { bytesMax throws(ReadFailure) in try Descriptor.readAll(0, bytesMax: bytesMax)
        },
        writeOutput: { Descriptor.writeAll($0, to: 1) },
        closeOutput: {
            close(1)
            // Its number must not become that of a connection.
            Descriptor.reserveStandardStreams()
        },
        writeError: { _ = Descriptor.writeAll($0, to: 2) },
        inputIsTerminal: { isatty(0) == 1 })
}

/// read(2) and write(2) with what every caller of them has to do.
package enum Descriptor {
    /// Keeps 0, 1 and 2 from becoming something else. Where one of them is closed, the next file
    /// or connection would get its number, and with it the response or the log.
    ///
    /// `/dev/null` is opened the wrong way round, so that reading and writing fail as before.
    package static func reserveStandardStreams() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    package static func readAll(
        _ descriptor: Int32, bytesMax: Int
    ) throws(StandardStreams.ReadFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            var code: Int32 = 0
            let piece = [UInt8](unsafeUninitializedCapacity: readBytes) { buffer, count in
                let received = read(descriptor, buffer.baseAddress, buffer.count)
                code = received < 0 ? errno : 0
                count = max(0, received)
            }
            guard code == 0 else {
                guard waitsAndGoesOn(after: code, descriptor, POLLIN) else {
                    throw .failed(code: code)
                }
                continue
            }
            guard !piece.isEmpty else { return bytes }
            guard bytes.count + piece.count <= bytesMax else { throw .tooLarge }
            if bytes.isEmpty {
                bytes = piece
            } else {
                bytes += piece
            }
        }
    }

    private static let readBytes = 64 << 10

    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0 {
                guard waitsAndGoesOn(after: errno, descriptor, POLLOUT) else { return false }
                continue
            }
            written += count
        }
        return true
    }

    /// True for an interrupted call, and for a non-blocking descriptor that has become ready.
    private static func waitsAndGoesOn(
        after code: Int32, _ descriptor: Int32, _ events: Int32
    ) -> Bool {
        guard code != EINTR else { return true }
        guard code == EAGAIN || code == EWOULDBLOCK else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, -1) > 0 || errno == EINTR
    }
}
