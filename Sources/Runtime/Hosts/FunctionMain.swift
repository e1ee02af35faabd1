internal import Glibc
package import HTTP
internal import Time

/// The main of every function.
package enum FunctionMain {
    /// Finds out where it runs, starts the function and serves it there. `transport` is only made
    /// for a Runtime API that is not at an address of this machine.
    package static func run(
        name: String, summary: String, version: String,
        arguments: [String] = Array(CommandLine.arguments.dropFirst()),
        transport: @autoclosure () -> HTTPTransport,
        start: (Environment) throws(StartFailure) -> Handler
    ) -> Never {
        // A reader that hangs up is a failed write and not a signal that kills.
        signal(SIGPIPE, SIG_IGN)
        Descriptor.reserveStandardStreams()
        let environment = Environment.current()
        let host = FunctionHost(
            name: name, summary: summary, version: version, environment: environment,
            streams: .system, newRequestID: RequestID.random,
            sleep: { usleep(UInt32(clamping: $0.milliseconds * 1000)) },
            setTraceID: TraceVariable.set)
        let local = environment["AWS_LAMBDA_RUNTIME_API"].flatMap(LocalHTTPTransport.init)
        exit(
            host.run(arguments, transport: { local?.transport ?? transport() }, start: start))
    }
}
