internal import JSON
internal import EmulatorFiles
internal import EmulatorProcesses
internal import EmulatorServer
internal import Synchronization

extension Command {
    static let serve = Command(
        name: "serve", operands: "",
        summary: "Runs a template's functions and what they talk to, until it is stopped.",
        flags: ServeOptions.flags
    ) { arguments, console in
        // Before any thread is: all of them inherit it.
        EndSignals.block()
        let emulator = try RunningEmulator(try ServeOptions(arguments), console)
        EndSignals.wait()
        EndSignals.unblock()
        console.print("stopping")
        emulator.stop()
        return 0
    }
}

/// Both sides, open.
final class RunningEmulator: Sendable {
    private let world: World
    private let servers: [Server]
    private let scheduler: Scheduler
    private let watcher: Watcher

    private static let graceMilliseconds = 2000

    init(_ options: ServeOptions, _ console: Console) throws {
        let app = Door()
        let aws = Door()
        let interface: ServerInterface = options.host == .loopback ? .loopback : .everywhere
        let appServer = try app.open(interface, options.port, flag: "--port")
        let awsServer = try aws.open(interface, options.awsPort, flag: "--aws-port")
        let addresses = Addresses(appPort: appServer.port, awsPort: awsServer.port)
        let log = LogBook { function, line in
            if !options.isQuiet { console.complain("\(function)  \(line)") }
        }
        world = try World(options, addresses: addresses, log: log)
        scheduler = Scheduler(world)
        watcher = Watcher(world, console)
        servers = [appServer, awsServer]
        let control = ControlAPI(world: world, scheduler: scheduler)
        let appSide = AppSide(world: world, control: control)
        let awsSide = AWSSide(world: world, control: control)
        app.answer({ appSide.handle($0, $1) })
        aws.answer({ awsSide.handle($0, $1) }, tooLarge: { awsSide.tooLarge($0) })
        let stack = try world.load()
        console.print(Banner(stack: stack, addresses: addresses, options: options).text)
        scheduler.start()
        if options.watches { watcher.start() }
    }

    func stop() {
        watcher.stop()
        scheduler.stop()
        // One time for all: the AWS side goes on while functions finish, because they need it.
        let end = Monotonic.nanoseconds + UInt64(Self.graceMilliseconds) * 1_000_000
        for server in servers {
            let now = Monotonic.nanoseconds
            server.stop(graceMilliseconds: now < end ? Int((end - now) / 1_000_000) : 0)
        }
        world.stop()
    }
}

/// A port that is open before there is anybody to answer: its number is needed to make them.
final class Door: Sendable {
    private struct Answers: Sendable {
        let handle: @Sendable (ServerRequest, ResponseSlot) -> Void
        let tooLarge: @Sendable (ServerRequest) -> ServerResponse
    }

    private let answers = Mutex<Answers?>(nil)

    private static let bodyBytesMax = 260 << 20

    func open(_ interface: ServerInterface, _ port: UInt16, flag: String) throws -> Server {
        do throws(ServerFailure) {
            return try Server(
                interface, port: port, limits: ServerLimits(bodyBytesMax: Self.bodyBytesMax),
                tooLarge: { [self] request in
                    answers.withLock { $0 }?.tooLarge(request) ?? Self.starting
                },
                handler: { [self] request, slot in
                    guard let answers = answers.withLock({ $0 }) else {
                        return slot.respondAlways(Self.starting)
                    }
                    answers.handle(request, slot)
                })
        } catch {
            switch error {
            case .portTaken(let port):
                throw CommandFailure(
                    "port \(port) is taken; choose another with \(flag), or 0 for a free one")
            case .noSocket(let code):
                throw CommandFailure("port \(port) cannot be opened: error \(code)")
            case .notStarted: throw CommandFailure("the server on port \(port) does not start")
            }
        }
    }

    func answer(
        _ handle: @escaping @Sendable (ServerRequest, ResponseSlot) -> Void,
        tooLarge: @escaping @Sendable (ServerRequest) -> ServerResponse = { _ in
            .error(413, "The request is too large.")
        }
    ) {
        answers.withLock { $0 = Answers(handle: handle, tooLarge: tooLarge) }
    }

    private static let starting = ServerResponse.json(["ready": false], status: 503)
}
