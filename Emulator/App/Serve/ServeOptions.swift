internal import EmulatorBase
package import EmulatorGateway
package import EmulatorReplay

/// The options of `emulator serve`.
package struct ServeOptions: Sendable {
    package enum Mode: String, CaseIterable, Sendable { case warm, cold }

    /// The templates are deployed side by side, in this order.
    package var templates = [ServeOptions.ownTemplate]
    package var parameters: [(name: String, value: String)] = []
    package var port: UInt16 = 8000
    package var awsPort: UInt16 = 8001
    /// nil without `--control-port`: the default port, or a free one if that is in use.
    package var controlPort: UInt16?
    package static let controlPortDefault: UInt16 = 8002
    /// The folder of a web app to serve on a separate origin; nil without `--playground`.
    package var playground: String?
    /// nil without `--playground-port`: the default port, or a free one if that is in use.
    package var playgroundPort: UInt16?
    package static let playgroundPortDefault: UInt16 = 8003
    /// nil without `--smtp-port`: the default port, or a free one if that is in use.
    package var smtpPort: UInt16?
    package static let smtpPortDefault: UInt16 = 8025
    package var requiresVerifiedSenders = false
    /// nil without `--tls`.
    package var tls: TLSPorts?
    /// nil for the address of the app endpoint, with `--tls` the HTTPS one.
    package var issuerURL: String?
    /// Where the identity providers' keys are shared with other emulators.
    package var issuerKeys: String?
    package var host = ListenAddress.loopback
    /// Other names and addresses of this emulator, from `host` and `issuerURL`.
    package var names = ServedNames.none
    /// nil keeps the state in memory.
    package var data: String? = ServeOptions.dataDefault
    package static let dataDefault = ".emulator"
    package var mode = Mode.warm
    /// nil for the store in the template.
    package var store: FunctionStore?
    /// Where executables are looked for before the folders of the template's code.
    package var executables: String?
    package var environmentFile: String?
    package var recordings: String?
    /// The folder of fixtures that the dashboard may write and replay; nil without `--events`.
    package var events: String?
    package var faults: String?
    package var watches = true
    package var isStrict = false
    package var isQuiet = false
    /// Whether the start lists everything.
    package var isVerbose = false
    /// The file to which the addresses are written when the emulator is ready.
    package var readyFile: String?
    /// Whether standard output contains only the addresses, as a line of JSON.
    package var printsJSON = false
    package var gateway = GatewayOptions.standard

    package struct TLSPorts: Sendable {
        package var app: UInt16
        package var aws: UInt16

        package init(app: UInt16 = 8443, aws: UInt16 = 8444) {
            self.app = app
            self.aws = aws
        }
    }

    package enum ListenAddress: String, CaseIterable, Sendable {
        case loopback = "127.0.0.1"
        case everywhere = "0.0.0.0"
    }

    /// Latchkey's own template. Templates in the current folder (`templatesDefault`) take
    /// precedence.
    package static let ownTemplate = "Functions/Templates/latchkey.json"
    package static let templatesDefault = ["template.yaml", "template.yml", "template.json"]

    package init() {}
}
