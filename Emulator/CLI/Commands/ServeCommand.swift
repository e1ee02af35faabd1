internal import Time
internal import EmulatorOpenID
internal import JSON
internal import EmulatorMail
internal import EmulatorProcesses
internal import EmulatorSMTP
internal import EmulatorServer
internal import Synchronization

extension Command {
    static let serve = Command(
        name: "serve", operands: "",
        summary: "Runs a template's functions and what they talk to, until it is stopped.",
        flags: ServeOptions.flags
    ) { arguments, console in
        // Before any thread is: all of them inherit it.
        TerminationSignals.block()
        let emulator = try RunningEmulator(try ServeOptions(arguments), console)
        TerminationSignals.wait()
        TerminationSignals.unblock()
        console.print("stopping")
        emulator.stop()
        return 0
    }
}

/// Both sides, open.
final class RunningEmulator: Sendable {
    private let world: EmulatorServices
    private let servers: [Server]
    private let smtp: SMTPListener
    private let scheduler: Scheduler
    private let watcher: TemplateWatcher

    private static let graceMilliseconds = 2000

    init(_ options: ServeOptions, _ console: Console) throws {
        let app = ListeningPort()
        let aws = ListeningPort()
        let interface: ServerInterface = options.host == .loopback ? .loopback : .everywhere
        let appServer = try app.open(interface, options.port, flag: "--port")
        let awsServer = try aws.open(interface, options.awsPort, flag: "--aws-port")
        // The state's folder first: a second emulator must not touch the certificates of another.
        let folder = try DataDirectory(path: options.data)
        let secure = try options.tls.map { ports in
            try HTTPSServers(ports, data: folder.path, interface, app: app, aws: aws)
        }
        let mailbox = try folder.openMailbox()
        let smtp = try Self.smtp(mailbox, options.smtpPort)
        let addresses = EmulatorAddresses(
            appPort: appServer.port, awsPort: awsServer.port, smtpPort: smtp.port,
            tls: secure?.ports)
        let log = LogBuffer { function, line in
            if !options.isQuiet { console.complain("\(function)  \(line)") }
        }
        world = try EmulatorServices(options, folder, mailbox, addresses: addresses, log: log)
        self.smtp = smtp
        scheduler = Scheduler(world)
        watcher = TemplateWatcher(world, console)
        servers = [appServer, awsServer] + (secure?.servers ?? [])
        let control = ControlAPI(
            world: world, scheduler: scheduler, authorityPEM: secure?.authorityPEM)
        let appSide = AppEndpoint(world: world, control: control)
        let awsSide = AWSEndpoint(world: world, control: control)
        app.answer({ appSide.handle($0, $1) })
        aws.answer({ awsSide.handle($0, $1) }, tooLarge: { awsSide.tooLarge($0) })
        let stack = try world.load()
        console.print(Banner(stack: stack, addresses: addresses, options: options).text)
        // RSA keys take long, and most people ask for a token a moment later. Not at a lower
        // priority: whoever asks waits for this thread, and on a busy machine that would be for ever.
        BackgroundThread.run { [identity = world.identity] in identity.prepare() }
        scheduler.start()
        if options.watches { watcher.start() }
    }

    private static func smtp(_ mailbox: Mailbox, _ port: UInt16) throws -> SMTPListener {
        do throws(SMTPListenerFailure) {
            return try SMTPListener(mailbox, port: port)
        } catch {
            switch error {
            case .portTaken(let port):
                throw CommandFailure(
                    "port \(port) is taken; choose another with --smtp-port, or 0 for a free one")
            case .system(let code):
                throw CommandFailure("port \(port) cannot be opened: error \(code)")
            }
        }
    }

    func stop() {
        watcher.stop()
        scheduler.stop()
        smtp.stop()
        // One time for all: the AWS side goes on while functions finish, because they need it.
        let end = MonotonicClock.nanoseconds + UInt64(Self.graceMilliseconds) * 1_000_000
        for server in servers {
            let now = MonotonicClock.nanoseconds
            server.stop(graceMilliseconds: now < end ? Int((end - now) / 1_000_000) : 0)
        }
        world.stop()
    }
}
