package import EmulatorBase
internal import EmulatorDebugging
internal import EmulatorLambda
internal import EmulatorReplay
internal import EmulatorThirdParties
internal import HTTPClient
internal import JSON
internal import Synchronization
internal import Time

/// A started emulator with its listening servers.
package final class RunningEmulator: Sendable {
    let services: EmulatorServices
    private let servers: [Server]
    /// Keeps the file of trusted authorities, which functions read.
    private let secure: HTTPSServers?
    private let smtp: SMTPListener
    private let scheduler: Scheduler
    private let watcher: TemplateWatcher
    private let addressFiles: [AddressFile]

    private static let graceMilliseconds = 2000
    private static let nameSecondsMax = 5

    package init(_ options: ServeOptions, _ console: Console) throws {
        let app = ListeningPort()
        let aws = ListeningPort()
        let controls = ListeningPort()
        let interface: ServerInterface = options.host == .loopback ? .loopback : .everywhere
        let appServer = try app.open(interface, options.port, flag: "--port")
        let awsServer = try aws.open(interface, options.awsPort, flag: "--aws-port")
        // Lock the data directory first: two emulators must not share certificates.
        let folder = try DataDirectory(path: options.data)
        addressFiles = [folder.file(AddressFile.name), options.readyFile].compactMap(\.self)
            .map { AddressFile(fresh: $0) }
        let secure = try options.tls.map { ports in
            try HTTPSServers(
                ports, data: folder.path, interface, for: options.names, app: app, aws: aws)
        }
        self.secure = secure
        let faults = FaultList()
        let mailbox = try folder.openMailbox(faults)
        let traces = TraceRecorder()
        let delivery = TracedDelivery(mailbox, traces)
        let smtp = try Self.smtp(delivery, options)
        // This port comes after the requested ones, because its default may be among them.
        let controlServer = try controls.open(
            interface, options.controlPort, orUsual: ServeOptions.controlPortDefault,
            flag: "--control-port")
        let playground = ListeningPort()
        let playgroundServer = try options.playground.map { _ in
            try playground.open(
                interface, options.playgroundPort, orUsual: ServeOptions.playgroundPortDefault,
                flag: "--playground-port")
        }
        let addresses = EmulatorAddresses(
            appPort: appServer.port, awsPort: awsServer.port, controlPort: controlServer.port,
            smtpPort: smtp.port, playgroundPort: playgroundServer?.port,
            tls: secure?.ports, givenIssuer: options.issuerURL,
            trustedAuthorities: secure?.trustedAuthorities)
        let log = LogBuffer(traces) { function, line in
            if !options.isQuiet { console.complain("\(function)  \(line)") }
        }
        services = try EmulatorServices(
            options, folder, mailbox, addresses: addresses, faults: faults, traces: traces,
            log: log)
        self.smtp = smtp
        delivery.connect(services.functions)
        scheduler = Scheduler(services)
        watcher = TemplateWatcher(services, console)
        servers =
            [appServer, awsServer, controlServer] + (secure?.servers ?? [])
            + (playgroundServer.map { [$0] } ?? [])
        let control = ControlAPI(
            services: services, scheduler: scheduler, authorityPEM: secure?.authorityPEM)
        Self.connect(services, control, app: app, aws: aws, controls: controls)
        if let folder = options.playground {
            let files = PlaygroundEndpoint(folder: folder, services: services)
            playground.answer({ files.handle($0, $1) })
        }
        try start(options, addresses, console)
    }

    private func start(
        _ options: ServeOptions, _ addresses: EmulatorAddresses, _ console: Console
    ) throws {
        let trust = CertificateTrust { EnvironmentVariables.variable($0) }
        try options.store?.prepare(authorities: { try? trust.certificates().file })
        let stack = try services.load()
        try services.loadFaults()
        // The files are written before the banner, because scripts wait for the banner.
        for file in addressFiles { try file.write(addresses) }
        let unknownName = options.names.issuerName.flatMap { name in
            NameLookup.finds(name, within: Self.nameSecondsMax) ? nil : name
        }
        console.print(
            Banner(
                stack: stack, addresses: addresses, options: options,
                hasNewAuthority: secure?.isNewAuthority ?? false, unknownName: unknownName,
                faults: services.faultAPI.lines
            ).text)
        services.identity.prepareKeys()
        scheduler.start()
        if options.watches { watcher.start() }
        if options.printsJSON { Console.standard.print(addresses.json.text) }
    }

    private static func connect(
        _ services: EmulatorServices, _ control: ControlAPI, app: ListeningPort,
        aws: ListeningPort, controls: ListeningPort
    ) {
        let appSide = AppEndpoint(services: services, control: control)
        let awsSide = AWSEndpoint(services: services, control: control)
        let controlSide = ControlEndpoint(services: services, control: control)
        app.answer({ appSide.handle($0, $1) })
        aws.answer({ awsSide.handle($0, $1) }, tooLarge: { awsSide.tooLarge($0) })
        controls.answer({ controlSide.handle($0, $1) })
    }

    /// Without `--smtp-port`, a default port that is in use is replaced by a free one.
    private static func smtp(
        _ delivery: TracedDelivery, _ options: ServeOptions
    ) throws -> SMTPListener {
        let port = options.smtpPort ?? ServeOptions.smtpPortDefault
        do throws(SMTPListenerFailure) {
            do throws(SMTPListenerFailure) {
                return try SMTPListener(port: port, deliver: delivery.deliver)
            } catch {
                guard case .portTaken = error, options.smtpPort == nil else { throw error }
                return try SMTPListener(port: 0, deliver: delivery.deliver)
            }
        } catch {
            switch error {
            case .portTaken(let port):
                throw CommandFailure.portTaken(port, flag: "--smtp-port")
            case .system(let code):
                throw CommandFailure("cannot listen on port \(port): \(ErrnoText.text(code))")
            }
        }
    }

    package func stop() {
        for file in addressFiles { file.remove() }
        watcher.stop()
        scheduler.stop()
        smtp.stop()
        services.interceptor.stop()
        services.eventStreams.stop()
        // There is one deadline for all servers. The AWS endpoint serves requests until the
        // functions have finished.
        let end = MonotonicClock.nanoseconds + UInt64(Self.graceMilliseconds) * 1_000_000
        for server in servers {
            let now = MonotonicClock.nanoseconds
            server.stop(graceMilliseconds: now < end ? Int((end - now) / 1_000_000) : 0)
        }
        services.stop()
    }
}
