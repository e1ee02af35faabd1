internal import CPosix
internal import Glibc
package import HTTP
internal import Time

/// The entry point of every function.
package enum FunctionMain {
    /// Detects the host, starts the function and serves requests. `transport` is only created for a
    /// Runtime API that is not at an address of this machine.
    package static func run(
        name: String, summary: String, version: String,
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        transport: @autoclosure () -> HTTPTransport, migrate: FunctionHost.Migrate? = nil,
        describe: FunctionHost.Describe? = nil, commands: CommandHelp? = nil,
        start: FunctionHost.Start
    ) -> Never {
        // A closed pipe must be a write error, not a signal that ends the process.
        signal(SIGPIPE, SIG_IGN)
        Descriptor.reserveStandardStreams()
        _ = latchkey_return_large_blocks()
        let environment = Environment.current()
        ProcessHardening.apply(environment)
        let host = FunctionHost(
            name: name, summary: summary, version: version, environment: environment,
            streams: .system, newRequestID: RequestID.random,
            sleep: { usleep(UInt32(clamping: $0.milliseconds * 1000)) },
            setTraceID: TraceVariable.set, migrate: migrate, describe: describe,
            commands: commands)
        let local = environment["AWS_LAMBDA_RUNTIME_API"].flatMap(LocalHTTPTransport.init)
        exit(
            host.run(arguments, transport: { local?.transport ?? transport() }, start: start))
    }
}
