internal import Bytes
internal import Glibc
internal import HTTPServer

/// Whether a function serves HTTP itself, and where.
enum ListenChoice {
    enum Refusal: Error {
        /// To be answered as arguments of another kind.
        case arguments
        /// `--listen` names no address.
        case address(String)
        case environment(problem: String)
    }

    /// The first descriptor that systemd passes (sd_listen_fds(3)).
    private static let firstDescriptor: Int32 = 3
    private static let descriptorsMax: Int32 = 16

    /// Nil if another host is meant. `PORT` is the last to be asked for, because a shell may have
    /// it for another program.
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

    /// Sockets of systemd. The variables are inherited by children for which they are not meant, so
    /// they name the process.
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

/// What a process is started for.
package enum StartPurpose: Equatable, Sendable {
    /// Serves HTTP, at a port where that is known.
    case server(port: UInt16?)
    /// Answers the event of an argument: a schedule beside a server.
    case schedule
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
