import BaseTestSupport
import Foundation

extension DeployedTemplate {
    /// The token of the newest link that was mailed to an address.
    func mailedToken(to address: String, after seen: [String] = []) throws -> String {
        try String(mailedLink(to: address, after: seen).split(separator: "=").last ?? "")
    }

    /// The newest link that was mailed to an address and whose token is not one of `seen`.
    func mailedLink(to address: String, after seen: [String] = []) throws -> String {
        for _ in 0..<200 {
            let answer = try ask(.get, "/_emulator/mail/wait?to=\(address)&timeoutSeconds=120")
            let text = answer.body.text.replacing("\\n", with: " ").replacing("\\", with: "")
            let links = text.matches(of: /[a-z]+:[A-Za-z0-9.\/-]+\?token=([A-Za-z0-9_-]{40,})/)
            if let link = links.first(where: { !seen.contains(String($0.1)) }) {
                return String(link.0)
            }
            // The newest message has been seen already.
            usleep(100_000)
        }
        throw MailMissing(address: address)
    }

    /// The code of the newest mail with a link whose token is not one of `seen`.
    func mailedCode(to address: String, after seen: [String]) throws -> String {
        _ = try mailedLink(to: address, after: seen)
        let answer = try ask(.get, "/_emulator/mail/latest?to=\(address)")
        let text = answer.body.text.replacing("\\n", with: " ").replacing("\\r", with: "")
        guard let code = text.firstMatch(of: /Your code: +([0-9]{8})/) else {
            throw MailMissing(address: address)
        }
        return String(code.1)
    }

    private struct MailMissing: Error { let address: String }
}
