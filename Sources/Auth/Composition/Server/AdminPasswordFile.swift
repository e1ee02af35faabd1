internal import AuthDomain
internal import AuthOperations
internal import Bytes
internal import Cryptography
internal import FunctionRuntime

/// `<database>.admin`: the hash of the administrator's password that a server generates if none is
/// set.
struct AdminPasswordFile {
    let password: AdminPassword
    /// The password, if this start generated it. Only its hash is stored.
    let made: String?

    /// 100 bits, in digits and letters that cannot be confused.
    private static let alphabet = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)
    private static let characterCount = 20

    init(_ path: String, random: RandomSource) throws(StartFailure) {
        var made: String?
        let hash: [UInt8]
        do throws(OwnerOnlyFile.Failure) {
            if let found = try OwnerOnlyFile.existing(path) {
                hash = found
            } else {
                let password = Self.password(random)
                let file = try OwnerOnlyFile.made(path) { Self.hash(password, random) }
                hash = file.bytes
                if file.isNew { made = password }
            }
        } catch {
            throw StartFailure(problems: [error.problem(path)])
        }
        password = try Self.checked(hash, path).password
        self.made = made
    }

    /// nil if there is no such file.
    static func hash(in path: String) throws(StartFailure) -> String? {
        let bytes: [UInt8]?
        do throws(OwnerOnlyFile.Failure) {
            bytes = try OwnerOnlyFile.existing(path)
        } catch {
            throw StartFailure(problems: [error.problem(path)])
        }
        guard let bytes else { return nil }
        return try checked(bytes, path).text
    }

    private static func checked(
        _ bytes: [UInt8], _ path: String
    ) throws(StartFailure) -> (text: String, password: AdminPassword) {
        let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
        guard let password = AdminPassword(hash: text) else {
            let file = FilePath.absolute(path)
            throw StartFailure(
                problems: ["ADMIN_PASSWORD_HASH: \(file) has no hash: remove it for a new password"]
            )
        }
        return (text, password)
    }

    /// `xxxxx-xxxxx-xxxxx-xxxxx`
    private static func password(_ random: RandomSource) -> String {
        var text: [UInt8] = []
        for (index, byte) in random.bytes(characterCount).enumerated() {
            if index > 0, index.isMultiple(of: 5) { text.append(UInt8(ascii: "-")) }
            text.append(alphabet[Int(byte) % alphabet.count])
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func hash(_ password: String, _ random: RandomSource) -> [UInt8]? {
        let standard = PasswordCost.standard
        guard
            let cost = try? PasswordHash.Cost(
                memoryKiB: standard.memoryKiB, passes: standard.passes, lanes: standard.lanes)
        else { return nil }
        return try? Array(
            PasswordHash.hash(SecretBytes(utf8: password), cost: cost, random: random).utf8)
    }
}

extension OwnerOnlyFile.Failure {
    fileprivate func problem(_ path: String) -> String {
        let remedy =
            switch self {
            case .unreadable, .unwritable: ""
            case .symbolicLink, .notARegularFile, .foreignOwner, .openToOthers:
                ": remove it for a new password"
            }
        return "ADMIN_PASSWORD_HASH: \(explanation(path))\(remedy)"
    }
}
