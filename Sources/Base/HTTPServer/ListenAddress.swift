internal import Bytes
internal import Glibc

/// Where to listen: `127.0.0.1:8080`, `[::1]:8080`, `:8080` for every address, `unix:PATH`, or
/// `fd:3` for a socket that is already listening.
package enum ListenAddress: Equatable, Sendable {
    case ipv4(host: String, port: UInt16)
    case ipv6(host: String, port: UInt16)
    case everyAddress(port: UInt16)
    case unix(path: String)
    case descriptor(Int32)

    /// Nil for anything else; names of hosts are not resolved, except `localhost`.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.utf8.dropFirst(5)) ?? ""
            // sockaddr_un has room for 108 bytes, with a NUL.
            guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        if text.hasPrefix("fd:") {
            let digits = text.utf8.dropFirst(3)
            guard !digits.isEmpty, digits.allSatisfy(\.isDigit),
                let descriptor = Int32(Substring(digits)), descriptor > 2
            else { return nil }
            self = .descriptor(descriptor)
            return
        }
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text.utf8[text.utf8.index(after: colon)...]
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit),
            let port = UInt16(Substring(digits))
        else { return nil }
        let host = text[..<colon]
        if host.isEmpty {
            self = .everyAddress(port: port)
        } else if host.hasPrefix("["), host.hasSuffix("]") {
            let address = String(host.dropFirst().dropLast())
            var parsed = in6_addr()
            guard inet_pton(AF_INET6, address, &parsed) == 1 else { return nil }
            self = .ipv6(host: address, port: port)
        } else {
            let address = host.utf8.elementsEqual("localhost".utf8) ? "127.0.0.1" : String(host)
            var parsed = in_addr()
            guard inet_pton(AF_INET, address, &parsed) == 1 else { return nil }
            self = .ipv4(host: address, port: port)
        }
    }
}

extension ListenAddress {
    /// Another port of the same host, above the privileged ones; nil without a port.
    package var onNextPort: ListenAddress? {
        func next(_ port: UInt16) -> UInt16 { (1024..<UInt16.max).contains(port) ? port + 1 : 8081 }
        return switch self {
        case .ipv4(let host, let port): .ipv4(host: host, port: next(port))
        case .ipv6(let host, let port): .ipv6(host: host, port: next(port))
        case .everyAddress(let port): .everyAddress(port: next(port))
        case .unix, .descriptor: nil
        }
    }

    /// The address in the form of a setting.
    package var text: String {
        switch self {
        case .ipv4(let host, let port): "\(host):\(port)"
        case .ipv6(let host, let port): "[\(host)]:\(port)"
        case .everyAddress(let port): ":\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let descriptor): "fd:\(descriptor)"
        }
    }
}

/// Why the server cannot listen.
package struct ListenFailure: Error, Sendable, Equatable {
    package let message: String

    init(_ message: String) { self.message = message }

    init(call: String, code: Int32) {
        message =
            switch code {
            case EADDRINUSE: "another program uses this address"
            case EADDRNOTAVAIL: "this machine does not have this address"
            case EACCES: "permission denied (ports below 1024 may be reserved for root)"
            default: "\(call): \(String(cString: strerror(code)))"
            }
    }
}
