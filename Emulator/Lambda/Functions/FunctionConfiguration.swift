/// One function as its template describes it.
package struct FunctionConfiguration: Sendable {
    package enum Mode: Sendable, Equatable {
        /// A pool of processes on the Runtime API.
        case warm
        /// A process per event, over standard input and output.
        case cold
    }

    package var name: String
    /// The executable's path and its arguments.
    package var command: [String]
    /// `_HANDLER`: several functions may share an executable.
    package var handler: String
    package var environment: [(name: String, value: String)]
    /// Where the code is: the working directory and `LAMBDA_TASK_ROOT`.
    package var directory: String
    package var timeoutMilliseconds: Int
    package var memoryMegabytes: Int
    package var reservedConcurrency: Int?
    package var mode: Mode

    package init(
        name: String, command: [String], handler: String = "bootstrap",
        environment: [(name: String, value: String)] = [], directory: String,
        timeoutMilliseconds: Int = 3000, memoryMegabytes: Int = 128,
        reservedConcurrency: Int? = nil, mode: Mode = .warm
    ) {
        self.name = name
        self.command = command
        self.handler = handler
        self.environment = environment
        self.directory = directory
        self.timeoutMilliseconds = timeoutMilliseconds
        self.memoryMegabytes = memoryMegabytes
        self.reservedConcurrency = reservedConcurrency
        self.mode = mode
    }
}

/// What all functions have in common.
package struct FunctionSettings: Sendable {
    package var region: String
    package var account: String
    /// Credentials and endpoints: what the platform adds to each function's environment.
    package var environment: [(name: String, value: String)]
    package var path: String
    /// An instance that had no work for so long is ended.
    package var idleMillisecondsMax: Int
    package var initMillisecondsMax: Int
    /// Invocations at a time, over all functions.
    package var concurrencyMax: Int
    /// Instances of a function that start as soon as one is missing; beyond them, the oldest
    /// request in line has to wait for `patienceMilliseconds` first. A machine of two cores serves
    /// fifty clients of a fast function better from two processes than from fifty.
    package var instancesWithoutWait: Int
    package var patienceMilliseconds: Int
    /// Pauses before the second and the third attempt of an event.
    package var retryMilliseconds: [Int]
    package var recordsMax: Int

    package init(
        region: String = "us-east-1", account: String = "123456789012",
        environment: [(name: String, value: String)] = [],
        path: String = "/usr/local/bin:/usr/bin:/bin", idleMillisecondsMax: Int = 300_000,
        initMillisecondsMax: Int = 10_000, concurrencyMax: Int = 1000,
        instancesWithoutWait: Int = 2, patienceMilliseconds: Int = 10,
        retryMilliseconds: [Int] = [60_000, 120_000], recordsMax: Int = 500
    ) {
        self.region = region
        self.account = account
        self.environment = environment
        self.path = path
        self.idleMillisecondsMax = idleMillisecondsMax
        self.initMillisecondsMax = initMillisecondsMax
        self.concurrencyMax = concurrencyMax
        self.instancesWithoutWait = instancesWithoutWait
        self.patienceMilliseconds = patienceMilliseconds
        self.retryMilliseconds = retryMilliseconds
        self.recordsMax = recordsMax
    }

    func arn(_ name: String) -> String { "arn:aws:lambda:\(region):\(account):function:\(name)" }
}

/// Limits of Lambda, in bytes.
package enum FunctionLimits {
    package static let requestBytesMax = 6 << 20
    package static let eventBytesMax = 1 << 20
    /// 6 MiB and a little for the envelope.
    package static let responseBytesMax = (6 << 20) + 100
    package static let clientContextBytesMax = 3583
    package static let logTailBytesMax = 4096
    /// Of one invocation's output this much is kept for its record.
    static let outputBytesMax = 64 << 10
    static let recordBodyBytesMax = 4096
}
