internal import Bytes
internal import EmulatorBase
internal import HTTP
internal import JSON

/// The responses of the mailbox API. The content of mails is untrusted and is never served in a way
/// that a browser would execute.
enum MailResponse {
    private static let untrusted = [
        HTTPHeader("X-Content-Type-Options", "nosniff"),
        HTTPHeader("Cache-Control", "no-store"), HTTPHeader("Referrer-Policy", "no-referrer"),
    ]

    static func make(
        _ status: Int, _ type: String, _ body: [UInt8], _ more: [HTTPHeader] = []
    ) -> ServerResponse {
        ServerResponse(
            status: status, headers: [HTTPHeader("Content-Type", type)] + untrusted + more,
            body: body)
    }

    static func json(_ object: JSONObject, status: Int = 200) -> ServerResponse {
        make(status, "application/json", object.serialized)
    }

    /// One line of plain text, for scripts.
    static func text(_ text: String) -> ServerResponse {
        make(200, "text/plain; charset=utf-8", Array(text.utf8) + [0x0A])
    }

    static func nothing() -> ServerResponse { ServerResponse(status: 204) }

    static func refusal(_ refusal: MailError) -> ServerResponse {
        json(["message": .string(refusal.message)], status: refusal.status)
    }

    /// Redirects to the dashboard's mails.
    ///
    /// - Parameter place: the part of the address after them.
    static func inDashboard(_ place: String) -> ServerResponse {
        ServerResponse(
            status: 303,
            headers: [HTTPHeader("Location", "/#/mail\(place)")] + untrusted)
    }

    /// A mail's HTML: no script, no forms, no external requests, a unique origin.
    static func untrustedHTML(_ html: String) -> ServerResponse {
        make(
            200, "text/html; charset=utf-8", Array(html.utf8),
            [
                HTTPHeader(
                    "Content-Security-Policy",
                    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
                        + "font-src data:; form-action 'none'; base-uri 'none'; "
                        + "frame-ancestors 'self'")
            ])
    }

    static func attachment(_ attachment: MIMEAttachment) -> ServerResponse {
        let name = attachment.name ?? "attachment"
        let ascii = name.utf8.map { byte -> UInt8 in
            byte.isLetter || byte.isDigit || [0x2D, 0x2E, 0x5F, 0x20].contains(byte) ? byte : 0x5F
        }
        let isType = attachment.type.utf8.allSatisfy {
            $0.isLetter || $0.isDigit || [0x2B, 0x2D, 0x2E, 0x2F, 0x5F].contains($0)
        }
        return make(
            200, isType ? attachment.type : "application/octet-stream", attachment.bytes,
            [
                HTTPHeader("Content-Security-Policy", "sandbox; default-src 'none'"),
                HTTPHeader(
                    "Content-Disposition",
                    "attachment; filename=\"\(String(decoding: ascii, as: UTF8.self))\"; "
                        + "filename*=UTF-8''\(PercentEncoding.encode(name))"),
            ])
    }
}
