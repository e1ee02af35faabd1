internal import EmulatorApp
internal import EmulatorBase
internal import EmulatorLambda

extension Command {
    static let serve = Command(
        name: "serve", operands: "",
        summary: "Serves a template's functions and the AWS services that they use.",
        details: """
            Prints addresses and problems when it is ready; --verbose also lists every route,
            function, schedule and example command. Runs until SIGINT or SIGTERM. Examples:

              emulator serve                                     # the template in this folder
              emulator serve --template template.yaml --port 0   # free ports, printed at the start
            """,
        flags: ServeOptions.flags
    ) { arguments, console in
        // This is done before any thread starts, because threads inherit the signal mask.
        TerminationSignals.block()
        let options = try ServeOptions(arguments)
        let console = options.printsJSON ? console.complaining : console
        let emulator: RunningEmulator
        do {
            emulator = try RunningEmulator(options, console)
        } catch {
            // A problem of the template is more important than a problem of a port, so the
            // template's is reported.
            _ = try TemplateFiles(options.templates, parameters: options.parameters).read(.standard)
            throw error
        }
        TerminationSignals.wait()
        TerminationSignals.unblock()
        console.print("stopping")
        emulator.stop()
        return 0
    }
}
