import BaseTestSupport
import EmulatorBase

/// TLS clients against a server with local certificates.
@Suite("TLS") struct TLSClientTests {
    private let folder: TemporaryFolder
    private let certificates: LocalCertificates
    private let server: Server

    init() throws {
        folder = try TemporaryFolder()
        certificates = try LocalCertificates.load(
            directory: folder.path, others: [.name("*.s3.localhost")], now: WallClock.system.now(),
            random: .system)
        server = try Server(identity: certificates.identity) { request, slot in
            let text = "\(request.isSecure) \(request.target) \(request.body.count)"
            slot.respond(ServerResponse(status: 200, body: Array(text.utf8)))
        }
    }

    private func curl(_ arguments: String...) throws -> ProcessResult {
        try ChildProcess.run(
            Command("/usr/bin/curl", ["--silent", "--show-error", "--noproxy", "*"] + arguments))
    }

    private var trust: String { folder.file("ca.pem") }

    @Test(arguments: ["localhost", "127.0.0.1", "bucket.s3.localhost"])
    func `curl accepts the server under each of its names`(name: String) throws {
        let result = try curl(
            "--cacert", trust, "--resolve", "\(name):\(server.port):127.0.0.1",
            "https://\(name):\(server.port)/path")
        expectEqual(result.errorText, "")
        expectEqual(result.text, "true /path 0")
    }

    @Test(arguments: ["example.com", "localhost.example.com", "127.0.0.2"])
    func `curl refuses the server under another name`(name: String) throws {
        let result = try curl(
            "--cacert", trust, "--resolve", "\(name):\(server.port):127.0.0.1", "--connect-to",
            "\(name):\(server.port):127.0.0.1:\(server.port)",
            "https://\(name):\(server.port)/path")
        expectEqual(result.end, .exit(60))
    }

    @Test func `curl refuses the server without its certificate authority`() throws {
        let result = try curl("https://localhost:\(server.port)/")
        expectEqual(result.end, .exit(60))
    }

    @Test(arguments: ["1.2", "1.3"])
    func `TLS 1.2 and 1.3 are supported`(version: String) throws {
        let result = try curl(
            "--cacert", trust, "--tlsv\(version)", "--tls-max", version,
            "https://localhost:\(server.port)/")
        expectEqual(result.end, .exit(0))
    }

    @Test(arguments: [
        ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], ["-tls1", "-cipher", "ALL:@SECLEVEL=0"],
        ["-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA"],
        ["-tls1_2", "-cipher", "AES128-SHA:AES128-GCM-SHA256"],
    ])
    func `older versions and weaker ciphers are refused`(arguments: [String]) throws {
        let result = try ChildProcess.run(
            Command(
                "/usr/bin/openssl",
                ["s_client", "-connect", "127.0.0.1:\(server.port)"] + arguments))
        expectEqual(result.end, .exit(1))
        #expect(result.text.contains("Cipher is (NONE)"))
    }

    @Test func `Python accepts the server with strict checks, and reuses a connection`() throws {
        let program = """
            import http.client, ssl, sys
            context = ssl.create_default_context(cafile=sys.argv[1])
            context.verify_flags |= ssl.VERIFY_X509_STRICT
            for name in ('localhost', '127.0.0.1'):
                client = http.client.HTTPSConnection(name, int(sys.argv[2]), context=context)
                for count in (0, 1, 5_000_000):
                    client.request('POST', '/p', b'x' * count)
                    print(client.getresponse().read().decode())
            print(client.sock.version())
            """
        let result = try ChildProcess.run(
            Command("/usr/bin/python3", ["-c", program, trust, String(server.port)]))
        expectEqual(result.errorText, "")
        let answers = "true /p 0\ntrue /p 1\ntrue /p 5000000\n"
        expectEqual(result.text, answers + answers + "TLSv1.3\n")
    }

    @Test func `a connection without TLS is closed, and the server keeps running`() throws {
        let plain = try curl("http://127.0.0.1:\(server.port)/")
        #expect(plain.end != .exit(0))
        let next = try curl("--cacert", trust, "https://localhost:\(server.port)/next")
        expectEqual(next.text, "true /next 0")
    }

    @Test func `a handshake that is too slow is disconnected`() throws {
        let server = try Server(
            identity: certificates.identity, limits: ServerLimits(receiveSecondsMax: 1)
        ) { _, _ in }
        let program = """
            import socket, sys, time
            client = socket.create_connection(('127.0.0.1', int(sys.argv[1])), timeout=60)
            client.sendall(b'\\x16\\x03\\x01\\x10\\x00\\x01\\x00\\x0f\\xfc\\x03\\x03')
            try:
                for count in range(1000):
                    client.sendall(b'a')
                    time.sleep(0.05)
                print('never')
            except OSError:
                print('cut')
            """
        let result = try ChildProcess.run(
            Command("/usr/bin/python3", ["-c", program, String(server.port)]))
        expectEqual(result.text, "cut\n")
    }

    @Test func `a server without TLS can run in the same process`() throws {
        let plain = try Server { request, slot in
            slot.respond(ServerResponse(status: 200, body: Array("\(request.isSecure)".utf8)))
        }
        try expectEqual(curl("http://127.0.0.1:\(plain.port)/").text, "false")
        try expectEqual(
            curl("--cacert", trust, "https://127.0.0.1:\(server.port)/").text, "true / 0")
    }

    @Test func `large responses, and responses from another thread, work over TLS`() throws {
        let size = 3_000_000
        let server = try Server(identity: certificates.identity) { _, slot in
            DetachedThread.run {
                slot.respond(
                    ServerResponse(status: 200, body: [UInt8](repeating: 0x61, count: size)))
            }
        }
        let result = try curl("--cacert", trust, "https://localhost:\(server.port)/")
        expectEqual(result.output.count, size)
    }

    @Test func `an invalid identity does not start`() {
        for (chain, key) in [([], []), (Array("x".utf8), Array("y".utf8))] as [([UInt8], [UInt8])] {
            #expect(throws: ServerFailure.notStarted) {
                _ = try Server(
                    identity: ServerIdentity(chainPEM: chain, keyPEM: .init(key))
                ) { _, _ in }
            }
        }
    }
}
