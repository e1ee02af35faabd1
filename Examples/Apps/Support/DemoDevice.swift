package import Foundation
package import LatchkeyClient

/// The device of an app at the command line: `app-shell http://127.0.0.1:8000 FOLDER`.
///
/// Commands disturb its clock and network, to show how the client reacts.
package struct DemoDevice: Sendable {
    package let server: URL
    private let folder: URL
    package let clock = MovableClock()
    package let network = ObservedNetwork()

    /// The device of this process. Exits if the arguments are wrong.
    package static let current: DemoDevice = {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let server = URL(string: arguments[1]) else {
            end("usage: \(arguments.first ?? "app") SERVER FOLDER")
        }
        let folder = URL(filePath: arguments[2])
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            end("\(folder.path): \(error.localizedDescription)")
        }
        return DemoDevice(server: server, folder: folder)
    }()

    private static func end(_ message: String) -> Never {
        FileHandle.standardError.write(Data((message + "\n").utf8))
        exit(2)
    }

    package func client(
        _ contract: ClientContract, store: any SessionStore,
        _ change: (inout Options) -> Void = { _ in }
    ) -> LatchkeyClient {
        var options = Options()
        change(&options)
        return LatchkeyClient(
            contract: contract, baseURL: server, store: store, transport: network, clock: clock,
            options: options)
    }

    /// A folder for data that is not in a Keychain.
    package func folder(_ name: String) -> URL { folder.appending(path: name) }
}
