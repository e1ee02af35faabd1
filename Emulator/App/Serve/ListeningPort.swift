internal import Cryptography
internal import EmulatorBase
internal import EmulatorLambda
internal import JSON
internal import Synchronization
internal import Time

/// A port that listens before its handler exists, because the handlers need its number.
final class ListeningPort: Sendable {
    private struct Answers: Sendable {
        let handle: @Sendable (ServerRequest, ResponseSlot) -> Void
        let tooLarge: @Sendable (ServerRequest) -> ServerResponse
    }

    private let answers = Mutex<Answers?>(nil)

    /// Slightly above the largest body that any service accepts, so that the service itself reports
    /// the error.
    private static let bodyBytesMax = 260 << 20

    func open(
        _ interface: ServerInterface, _ port: UInt16, flag: String,
        identity: ServerIdentity? = nil
    ) throws -> Server {
        do throws(ServerFailure) {
            return try server(interface, port, identity)
        } catch {
            switch error {
            case .portTaken(let port):
                throw CommandFailure.portTaken(port, flag: flag)
            case .noSocket(let code):
                throw CommandFailure("cannot listen on port \(port): \(ErrnoText.text(code))")
            case .notStarted:
                throw CommandFailure(
                    "cannot start the server on port \(port)"
                        + (identity == nil ? "" : ": is its certificate valid?"))
            }
        }
    }

    /// If no port was given, the default is used, or a free port if the default is in use.
    func open(
        _ interface: ServerInterface, _ port: UInt16?, orUsual usual: UInt16, flag: String
    ) throws -> Server {
        if port == nil, let server = try? server(interface, usual, nil) { return server }
        return try open(interface, port ?? 0, flag: flag)
    }

    private func server(
        _ interface: ServerInterface, _ port: UInt16, _ identity: ServerIdentity?
    ) throws(ServerFailure) -> Server {
        try Server(
            interface, port: port, identity: identity,
            limits: ServerLimits(bodyBytesMax: Self.bodyBytesMax),
            tooLarge: { [self] request in
                answers.withLock { $0 }?.tooLarge(request) ?? Self.starting
            },
            handler: { [self] request, slot in
                guard let answers = answers.withLock({ $0 }) else {
                    return slot.respondAlways(Self.starting)
                }
                answers.handle(request, slot)
            })
    }

    func answer(
        _ handle: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void,
        tooLarge: @escaping @Sendable (ServerRequest) -> ServerResponse = { _ in
            .error(413, "Request too large.")
        }
    ) {
        answers.withLock { $0 = Answers(handle: handle, tooLarge: tooLarge) }
    }

    private static let starting = ServerResponse.json(["ready": false], status: 503)
}

/// HTTPS ports for the app and AWS endpoints.
struct HTTPSServers {
    static let folder = "certificates"

    let servers: [Server]
    let ports: ServeOptions.TLSPorts
    let authorityPEM: String
    /// Whether clients must trust this authority anew, even if they trusted the previous one.
    let isNewAuthority: Bool
    /// The file with this authority and the authorities of the machine. Functions need it, because
    /// their issuer has HTTPS.
    let trustedAuthorities: String
    private let temporary: TemporaryDirectory?

    private static let machineAuthorities = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/ssl/cert.pem",
    ]

    init(
        _ asked: ServeOptions.TLSPorts, data: String?, _ interface: ServerInterface,
        for names: ServedNames, app: ListeningPort, aws: ListeningPort
    ) throws {
        let now = WallClock.system.now()
        let certificates: LocalCertificates
        do {
            certificates =
                if let data {
                    try .load(
                        directory: "\(data)/\(Self.folder)", others: names.certificateHosts,
                        now: now, random: .system)
                } else {
                    try .make(others: names.certificateHosts, now: now, random: .system)
                }
        } catch {
            throw CommandFailure("cannot create a certificate for --tls: \(error)")
        }
        let identity = certificates.identity
        let appServer = try app.open(interface, asked.app, flag: "--tls-port", identity: identity)
        let awsServer = try aws.open(
            interface, asked.aws, flag: "--aws-tls-port", identity: identity)
        servers = [appServer, awsServer]
        ports = ServeOptions.TLSPorts(app: appServer.port, aws: awsServer.port)
        authorityPEM = certificates.authorityPEM
        isNewAuthority = certificates.isNewAuthority
        temporary = data == nil ? try TemporaryDirectory(named: "latchkey-certificates") : nil
        let folder = temporary?.path ?? data.map { "\($0)/\(Self.folder)" } ?? ""
        trustedAuthorities = Files.absolute("\(folder)/trusted.pem")
        let others = Self.machineAuthorities.lazy.compactMap {
            try? Files.read($0, bytesMax: 8 << 20)
        }.first
        try Files.write(
            Array("\(authorityPEM)\n".utf8) + (others ?? []), to: trustedAuthorities)
    }
}

extension CommandFailure {
    static func portTaken(_ port: UInt16, flag: String) -> CommandFailure {
        // The Makefile sets this variable. Its targets pass the emulator's options in `ARGS`, which
        // the message then shows.
        let target = EnvironmentVariables.variable("LATCHKEY_MAKE_TARGET")
        let option = target.map { "make \($0) ARGS=\"\(flag) PORT\"" } ?? flag
        let others =
            flag == "--port"
            ? " here and instead of all other defaults" : "; --port 0 takes free ports for all"
        return CommandFailure(
            "port \(port) is already in use; choose another with \(option), or 0 for a free port"
                + others)
    }
}
