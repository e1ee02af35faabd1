internal import Bytes
internal import Glibc
internal import HTTPServer

/// Whether a function serves HTTP itself, and at which address.
enum ListenChoice {
    enum Refusal: Error {
        /// The arguments are not about listening.
        case arguments
        /// The value of `--listen` is not an address.
        case address(String)
        case environment(problem: String)
    }

    /// The first descriptor that systemd passes (sd_listen_fds(3)).
    private static let firstDescriptor: Int32 = 3
    private static let descriptorsMax: Int32 = 16

    /// Nil if another host is meant. `PORT` is read last, because a shell may have it for another
    /// program.
    static func addresses(
        _ arguments: [String], _ environment: Environment
    ) throws(Refusal) -> [ListenAddress]? {
        if let text = try argument(arguments) {
            guard let address = ListenAddress(text) else { throw .address(text) }
            return [address]
        }
        if environment["AWS_LAMBDA_RUNTIME_API"] != nil || environment["Http_Method"] != nil {
            return nil
        }
        if let sockets = try sockets(environment) { return sockets }
        guard let text = environment["PORT"] else { return nil }
        guard text.utf8.allSatisfy(\.isDigit), let port = UInt16(text), port > 0 else {
            throw .environment(problem: "PORT must be a number from 1 to 65535")
        }
        return [.everyAddress(port: port)]
    }

    private static func argument(_ arguments: [String]) throws(Refusal) -> String? {
        let option = "--listen"
        switch arguments.count {
        case 0: return nil
        case 1 where arguments[0].hasPrefix(option + "="):
            return String(arguments[0].dropFirst(option.count + 1))
        case 2 where arguments[0].utf8.elementsEqual(option.utf8): return arguments[1]
        default: throw .arguments
        }
    }

    /// Sockets of systemd (sd_listen_fds(3)). Child processes inherit the variables, so
    /// `LISTEN_PID` tells for which process they are meant.
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
    /// Serves HTTP; the port is nil if it is unknown.
    case server(port: UInt16?)
    /// Answers an event in an argument, such as a schedule's beside a server.
    case schedule
    /// Answers the events of a whole contract, on standard input or of Lambda.
    case contract
    case function

    package init(_ arguments: [String], _ environment: Environment) {
        if arguments.first?.utf8.elementsEqual("--event".utf8) ?? false {
            self = .schedule
        } else if let found = try? ListenChoice.addresses(arguments, environment) {
            self = .server(port: found.first.flatMap(Self.port))
        } else {
            self = .function
        }
    }

    private static func port(_ address: ListenAddress) -> UInt16? {
        switch address {
        case .ipv4(_, let port), .ipv6(_, let port), .everyAddress(let port): port > 0 ? port : nil
        case .unix, .descriptor: nil
        }
    }
}
