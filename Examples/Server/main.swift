import Glibc
import LatchkeyVerifier

// A server of an application, with plain sockets: it responds with the user of the access token. In
// Hummingbird or Vapor the middle of `answer` is a middleware.
//
// usage: content-server ISSUER PORT
//
// It prints its port, and handles one connection after the other.

let arguments = CommandLine.arguments
guard arguments.count == 3, let port = UInt16(arguments[2]),
    let listener = ListeningSocket(on: port)
else {
    print("usage: content-server ISSUER PORT")
    exit(64)
}
let verifier = try AccessTokenVerifier(issuer: arguments[1])
print(listener.port)
fflush(nil)

func answer(_ head: RequestHead) async -> String {
    do {
        let access = try await verifier.verify(authorization: head["authorization"])
        return response(200, body: "Hello, \(access.userID)\n")
    } catch {
        return response(error.status, headers: error.headers)
    }
}

func response(_ status: Int, headers: [String: String] = [:], body: String = "") -> String {
    let lines = headers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    return "HTTP/1.1 \(status) -\r\n\(lines)Content-Length: \(body.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(body)"
}

while let connection = listener.accept() {
    if let head = connection.readHead() { connection.write(await answer(head)) }
    connection.close()
}
