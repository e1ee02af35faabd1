/// How to start a child. It inherits nothing else.
package struct ProcessConfiguration: Sendable {
    /// `arguments[0]` is the executable's path; PATH is not searched.
    package var arguments: [String]
    package var environment: [(name: String, value: String)]
    package var directory: String?
    /// The complete standard input of the child.
    package var input: [UInt8]
    package var limits: ProcessLimits
    /// Receives the child's output in order, on one thread at a time; must not block.
    package var output: @Sendable (ArraySlice<UInt8>) -> Void
    /// Receives the standard error in the same way; nil merges it into the output.
    package var error: (@Sendable (ArraySlice<UInt8>) -> Void)?
    /// Called once, on the supervisor's thread, when the process and its group have ended.
    package var ended: @Sendable (ProcessEnd) -> Void

    package init(
        _ arguments: [String], environment: [(name: String, value: String)],
        directory: String? = nil, input: [UInt8] = [], limits: ProcessLimits = ProcessLimits(),
        output: @escaping @Sendable (ArraySlice<UInt8>) -> Void,
        error: (@Sendable (ArraySlice<UInt8>) -> Void)? = nil,
        ended: @escaping @Sendable (ProcessEnd) -> Void
    ) {
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
        self.input = input
        self.limits = limits
        self.output = output
        self.error = error
        self.ended = ended
    }
}

/// Resource limits of a child and its descendants.
package struct ProcessLimits: Sendable, Equatable {
    /// Resident memory of the child. It is sampled, not enforced by the kernel: a limit on address
    /// space would break runtimes that reserve much and use little. `RLIMIT_DATA`, set a little
    /// higher, catches what sampling misses.
    package var residentBytesMax: UInt64?
    /// The maximum number of processes in the child's group, with the child itself.
    package var groupProcessesMax: Int
    package var fileBytesMax: UInt64
    package var openFilesMax: UInt64
    /// How long to retry a start while the executable is being written or resources are exhausted.
    package var startMillisecondsMax: Int

    package init(
        residentBytesMax: UInt64? = nil, groupProcessesMax: Int = 256,
        fileBytesMax: UInt64 = 512 << 20, openFilesMax: UInt64 = 1024,
        startMillisecondsMax: Int = 10_000
    ) {
        self.residentBytesMax = residentBytesMax
        self.groupProcessesMax = groupProcessesMax
        self.fileBytesMax = fileBytesMax
        self.openFilesMax = openFilesMax
        self.startMillisecondsMax = startMillisecondsMax
    }

    static let dataBytesAboveResident: UInt64 = 512 << 20
    /// This number is added to the number of processes that the user already runs, because
    /// RLIMIT_NPROC counts all of them. The kernel does not apply it to root; `ResourceMonitor`
    /// enforces `groupProcessesMax` for all.
    static let userProcessesMore: UInt64 = 1024
}

/// How a process ended.
package struct ProcessEnd: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
        /// The process did not start. The code is the errno of the failure.
        case notStarted(code: Int32)
    }

    package let reason: Reason
    package let residentBytesMax: Int64
    /// Whether the process read its input; false if it had input and read none of it.
    package let hasReadInput: Bool

    package init(reason: Reason, residentBytesMax: Int64, hasReadInput: Bool = true) {
        self.reason = reason
        self.residentBytesMax = residentBytesMax
        self.hasReadInput = hasReadInput
    }
}

package enum ProcessFailure: Error, Sendable, Equatable, CustomStringConvertible {
    case noEventLoop(code: Int32)

    package var description: String {
        switch self {
        case .noEventLoop(let code): "no event loop: \(ErrnoText.text(code))"
        }
    }
}
