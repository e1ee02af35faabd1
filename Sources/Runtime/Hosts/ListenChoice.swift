internal import Bytes
internal import Glibc
internal import HTTPServer

/// Whether a function serves HTTP itself, and at which address.
enum ListenChoice {
    enum Refusal: Error {
        /// The arguments have another form than `serve [ADDRESS]` or `--listen [ADDRESS]`.
        case arguments
        /// The value of `--listen` is not an address.
        case address(String)
        case environment(problem: String)
    }

    /// The first descriptor that systemd passes (sd_listen_fds(3)).
    private static let firstDescriptor: Int32 = 3
    private static let descriptorsMax: Int32 = 16

    /// The address of a server if none is given.
    static let standard = ListenAddress.ipv4(host: "127.0.0.1", port: standardPort)
    static let standardPort: UInt16 = 8080

    /// nil if the process gets its requests in another way, for example from Lambda. `PORT` is read
    /// last, because a shell may have it for another program.
    static func addresses(
        _ arguments: [String], _ environment: Environment
    ) throws(Refusal) -> [ListenAddress]? {
        switch try asked(arguments) {
        case .none: break
        case .listen(let text?):
            guard let address = ListenAddress(text) else { throw .address(text) }
            return [address]
        case .listen(nil): return try port(environment).map { [$0] } ?? [standard]
        }
        if environment["AWS_LAMBDA_RUNTIME_API"] != nil || environment["Http_Method"] != nil {
            return nil
        }
        if let sockets = try sockets(environment) { return sockets }
        return try port(environment).map { [$0] }
    }

    private static func port(_ environment: Environment) throws(Refusal) -> ListenAddress? {
        guard let text = environment["PORT"] else { return nil }
        guard text.utf8.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
            throw .environment(problem: "PORT must be a number from 1 to 65535")
        }
        return .everyAddress(port: port)
    }

    private enum Asked {
        case none
        /// Without an address, the standard one is used.
        case listen(String?)
    }

    /// `serve` and `--listen` mean the same, also if both are given.
    private static func asked(_ arguments: [String]) throws(Refusal) -> Asked {
        let option = "--listen"
        var rest = arguments[...]
        guard let first = rest.first else { return .none }
        let isCommand = first.utf8.elementsEqual("serve".utf8)
        if isCommand { rest = rest.dropFirst() }
        if rest.count == 1, let last = rest.first, last.hasPrefix(option + "=") {
            return .listen(String(last.dropFirst(option.utf8.count + 1)))
        }
        let hasOption = rest.first?.utf8.elementsEqual(option.utf8) ?? false
        if hasOption { rest = rest.dropFirst() }
        guard isCommand || hasOption, rest.count <= 1, rest.first?.hasPrefix("-") != true,
            !FunctionHelp.isWanted(by: arguments)
        else {
            throw .arguments
        }
        return .listen(rest.first)
    }

    /// Sockets of systemd (sd_listen_fds(3)). Child processes inherit the variables, so
    /// `LISTEN_PID` contains the process for which they are meant.
    private static func sockets(_ environment: Environment) throws(Refusal) -> [ListenAddress]? {
        guard let count = environment["LISTEN_FDS"],
            environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid()
        else { return nil }
        guard let count = Int32(count), (1...descriptorsMax).contains(count) else {
            throw .environment(
                problem: "LISTEN_FDS must be a whole number from 1 to \(descriptorsMax)")
        }
        return (firstDescriptor..<(firstDescriptor + count)).map { .descriptor($0) }
    }
}

/// The purpose for which a process was started.
package enum StartPurpose: Equatable, Sendable {
    /// Serves HTTP; the port is nil if it is unknown. Other machines reach it under `networkHosts`.
    case server(port: UInt16?, networkHosts: [String] = [])
    /// Answers an event in an argument, for example one of a schedule, while a server runs.
    case schedule
    /// Answers the events of a whole contract, from standard input or from Lambda.
    case contract
    case function

    /// The purpose of the server that `latchkey serve` starts with these settings, for a command
    /// that runs beside it.
    package static func standardServer(_ environment: Environment) -> StartPurpose {
        .server(port: environment["PORT"].flatMap { UInt16($0) } ?? ListenChoice.standardPort)
    }
}
