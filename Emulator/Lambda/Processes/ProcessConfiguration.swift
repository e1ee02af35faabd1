/// What to start: a child gets nothing but what stands here.
package struct ProcessConfiguration: Sendable {
    /// `arguments[0]` is an executable's path; there is no search along PATH.
    package var arguments: [String]
    package var environment: [(name: String, value: String)]
    package var directory: String?
    /// Everything that the child finds on its standard input.
    package var input: [UInt8]
    package var limits: ProcessLimits
    /// Takes what the child writes, in order, on one thread at a time; it must not block.
    package var output: @Sendable (ArraySlice<UInt8>) -> Void
    /// The same for standard error; nil merges it into the output.
    package var error: (@Sendable (ArraySlice<UInt8>) -> Void)?
    /// Called once, on the supervisor's thread, when the process and its group are gone.
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

/// What one child and its descendants may take.
package struct ProcessLimits: Sendable, Equatable {
    /// Resident memory of the child. It is looked at, not enforced by the kernel: a limit on
    /// address space would refuse runtimes that reserve much and use little. What one look misses,
    /// `RLIMIT_DATA` stops a little above.
    package var residentBytesMax: UInt64?
    /// Processes in the child's group, itself included.
    package var groupProcessesMax: Int
    package var fileBytesMax: UInt64
    package var openFilesMax: UInt64
    /// How long it is waited for an executable that is being written, or for what others have.
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
    /// Above what the user runs already, because RLIMIT_NPROC counts all of a user's processes. The
    /// kernel does not apply it to root; `ResourceMonitor` enforces `groupProcessesMax` for all.
    static let userProcessesMore: UInt64 = 1024
}

/// How a process ended.
package struct ProcessEnd: Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
        /// It never ran: the errno of what failed.
        case notStarted(code: Int32)
    }

    package let reason: Reason
    package let residentBytesMax: Int64

    package init(reason: Reason, residentBytesMax: Int64) {
        self.reason = reason
        self.residentBytesMax = residentBytesMax
    }
}

package enum ProcessFailure: Error, Sendable, Equatable {
    case noEventLoop(code: Int32)
}
