/// A function's configuration from the template.
package struct FunctionConfiguration: Sendable {
    package enum Mode: Sendable, Equatable {
        /// A pool of processes that use the Runtime API.
        case warm
        /// A process per event, over standard input and output. If the function turns out to
        /// support only the Runtime API, it gets its events there.
        case cold
        /// A process per event, on the Runtime API.
        case coldOnRuntimeAPI
    }

    package var name: String
    /// The executable's path and its arguments.
    package var command: [String]
    /// The paths where the executable was expected, if there are several.
    package var candidates: [String]
    /// The runtime in the template.
    package var runtime: String
    package var logicalID: String?
    /// A qualifier that refers to the function, in addition to `$LATEST`.
    package var alias: String?
    /// The ARN of its role.
    package var role: String?
    /// `_HANDLER`: several functions may share an executable.
    package var handler: String
    package var environment: [(name: String, value: String)]
    /// The directory of the code: the working directory and `LAMBDA_TASK_ROOT`.
    package var directory: String
    package var timeoutMilliseconds: Int
    package var memoryMegabytes: Int
    package var reservedConcurrency: Int?
    package var mode: Mode
    /// Returns another number after each change of the code that the command reads; nil if all of
    /// the code is in the executable.
    package var codeVersion: (@Sendable () -> Int)?

    package init(
        name: String, command: [String], handler: String = "bootstrap",
        environment: [(name: String, value: String)] = [], directory: String,
        timeoutMilliseconds: Int = 3000, memoryMegabytes: Int = 128,
        reservedConcurrency: Int? = nil, mode: Mode = .warm, candidates: [String] = [],
        runtime: String = "provided.al2023", logicalID: String? = nil, alias: String? = nil,
        role: String? = nil
    ) {
        self.name = name
        self.command = command
        self.candidates = candidates
        self.runtime = runtime
        self.logicalID = logicalID
        self.alias = alias
        self.role = role
        self.handler = handler
        self.environment = environment
        self.directory = directory
        self.timeoutMilliseconds = timeoutMilliseconds
        self.memoryMegabytes = memoryMegabytes
        self.reservedConcurrency = reservedConcurrency
        self.mode = mode
    }

    /// The paths in Lambda's error for a missing executable.
    var soughtPaths: String {
        candidates.isEmpty ? command.first ?? "" : candidates.joined(separator: " ")
    }
}

/// Settings for all functions.
package struct FunctionSettings: Sendable {
    package var region: String
    package var account: String
    /// Credentials and endpoints, added to each function's environment.
    package var environment: [(name: String, value: String)]
    package var path: String
    /// Instances that are idle for this long are ended.
    package var idleMillisecondsMax: Int
    package var initMillisecondsMax: Int
    /// Concurrent invocations of all functions.
    package var concurrencyMax: Int
    /// Up to this number, instances of a function start as soon as one is missing; beyond it, only
    /// if the oldest queued request has waited for `patienceMilliseconds`. On two cores, two
    /// processes serve fifty clients of a fast function better than fifty processes do.
    package var instancesWithoutWait: Int
    package var patienceMilliseconds: Int
    /// Pauses before the second and the third attempt of an asynchronous event.
    package var retryMilliseconds: [Int]
    package var recordsMax: Int

    package init(
        region: String = "us-east-1", account: String = "123456789012",
        environment: [(name: String, value: String)] = [],
        path: String = "/usr/local/bin:/usr/bin:/bin", idleMillisecondsMax: Int = 300_000,
        initMillisecondsMax: Int = 10_000, concurrencyMax: Int = 1000,
        instancesWithoutWait: Int = 2, patienceMilliseconds: Int = 10,
        retryMilliseconds: [Int] = [60_000, 120_000], recordsMax: Int = FunctionLimits.recordsMax
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

/// Lambda's limits, in bytes.
package enum FunctionLimits {
    package static let requestBytesMax = 6 << 20
    package static let eventBytesMax = 1 << 20
    /// 6 MiB, and a little for the envelope.
    package static let responseBytesMax = (6 << 20) + 100
    package static let clientContextBytesMax = 3583
    package static let logTailBytesMax = 4096
    /// The part of an invocation's output that its log keeps.
    static let outputBytesMax = 64 << 10
    /// The part of an event and of a response that a record keeps. For a browser's sign-in the
    /// event of a REST API, which contains the headers twice, has 3.5 KB without cookies.
    package static let recordBodyBytesMax = 16 << 10
    /// The number of invocations that are kept.
    package static let recordsMax = 500
    static let recordOutputBytesMax = 4096
}
