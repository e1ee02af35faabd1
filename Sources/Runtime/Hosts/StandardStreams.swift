internal import Glibc

/// Descriptors 0, 1 and 2 as functions. Nothing else uses these descriptors.
package struct StandardStreams: Sendable {
    package enum ReadFailure: Error, Sendable, Equatable {
        case tooLarge
        case failed(code: Int32)
    }

    /// Reads to the end of the input, at most `bytesMax` bytes.
    package let readInput: @Sendable (_ bytesMax: Int) throws(ReadFailure) -> [UInt8]
    /// Returns false if not everything was written.
    package let writeOutput: @Sendable ([UInt8]) -> Bool
    /// Nothing is written to the output after this.
    package let closeOutput: @Sendable () -> Void
    package let writeError: @Sendable ([UInt8]) -> Void
    package let inputIsTerminal: @Sendable () -> Bool
    /// Whether the input is `/dev/null`, as for services and schedulers.
    package let inputIsNull: @Sendable () -> Bool
    package let errorIsTerminal: @Sendable () -> Bool

    package init(
        readInput: @escaping @Sendable (_ bytesMax: Int) throws(ReadFailure) -> [UInt8],
        writeOutput: @escaping @Sendable ([UInt8]) -> Bool,
        closeOutput: @escaping @Sendable () -> Void = {},
        writeError: @escaping @Sendable ([UInt8]) -> Void,
        inputIsTerminal: @escaping @Sendable () -> Bool,
        inputIsNull: @escaping @Sendable () -> Bool = { false },
        errorIsTerminal: @escaping @Sendable () -> Bool = { false }
    ) {
        self.readInput = readInput
        self.writeOutput = writeOutput
        self.closeOutput = closeOutput
        self.writeError = writeError
        self.inputIsTerminal = inputIsTerminal
        self.inputIsNull = inputIsNull
        self.errorIsTerminal = errorIsTerminal
    }

    package static let system = StandardStreams(
        readInput: { bytesMax throws(ReadFailure) in try Descriptor.readAll(0, bytesMax: bytesMax)
        },
        writeOutput: { Descriptor.writeAll($0, to: 1) },
        closeOutput: {
            close(1)
            // The next connection must not get descriptor 1.
            Descriptor.reserveStandardStreams()
        },
        writeError: { _ = Descriptor.writeAll($0, to: 2) },
        inputIsTerminal: { isatty(0) == 1 }, inputIsNull: { Descriptor.isNull(0) },
        errorIsTerminal: { isatty(2) == 1 })
}

/// read(2) and write(2) with retries and error checks.
package enum Descriptor {
    /// Opens `/dev/null` for each of 0, 1 and 2 that is closed. Otherwise the next file or
    /// connection would get that number, and with it the response or the log.
    ///
    /// The files are opened with the opposite access mode, so that reading and writing still fail.
    package static func reserveStandardStreams() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    static func isNull(_ descriptor: Int32) -> Bool {
        var status = stat()
        var null = stat()
        return fstat(descriptor, &status) == 0 && stat("/dev/null", &null) == 0
            && status.st_mode & S_IFMT == S_IFCHR && status.st_rdev == null.st_rdev
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
                guard canRetry(after: code, descriptor, POLLIN) else {
                    throw .failed(code: code)
                }
                continue
            }
            guard !piece.isEmpty else { return bytes }
            guard bytes.count + piece.count <= bytesMax else {
                try drain(descriptor)
                throw .tooLarge
            }
            if bytes.isEmpty {
                bytes = piece
            } else {
                bytes += piece
            }
        }
    }

    private static let readBytes = 64 << 10
    private static let drainedBytesMax = 64 << 20

    /// Reads and discards the rest, up to a limit. If the input were not read, a write of the
    /// watchdog could fail with a broken pipe, and the watchdog would not forward the answer.
    private static func drain(_ descriptor: Int32) throws(StandardStreams.ReadFailure) {
        var buffer = [UInt8](repeating: 0, count: readBytes)
        var drained = 0
        while drained < drainedBytesMax {
            let received = read(descriptor, &buffer, buffer.count)
            guard received != 0 else { return }
            let code = received < 0 ? errno : 0
            guard code == 0 || canRetry(after: code, descriptor, POLLIN) else {
                throw .failed(code: code)
            }
            drained += max(0, received)
        }
    }

    package static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0 {
                guard canRetry(after: errno, descriptor, POLLOUT) else { return false }
                continue
            }
            written += count
        }
        return true
    }

    /// Whether to repeat the call: it was interrupted, or a non-blocking descriptor is now ready.
    private static func canRetry(
        after code: Int32, _ descriptor: Int32, _ events: Int32
    ) -> Bool {
        guard code != EINTR else { return true }
        guard code == EAGAIN || code == EWOULDBLOCK else { return false }
        var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        return poll(&entry, 1, -1) > 0 || errno == EINTR
    }
}
