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
            throw StartFailure(problems: [error.problem])
        }
        password = try Self.checked(hash).password
        self.made = made
    }

    /// nil if there is no such file.
    static func hash(in path: String) throws(StartFailure) -> String? {
        let bytes: [UInt8]?
        do throws(OwnerOnlyFile.Failure) {
            bytes = try OwnerOnlyFile.existing(path)
        } catch {
            throw StartFailure(problems: [error.problem])
        }
        guard let bytes else { return nil }
        return try checked(bytes).text
    }

    private static func checked(
        _ bytes: [UInt8]
    ) throws(StartFailure) -> (text: String, password: AdminPassword) {
        let text = String(decoding: bytes, as: UTF8.self).filter { $0 != "\n" }
        guard let password = AdminPassword(hash: text) else {
            throw StartFailure(problems: [OwnerOnlyFile.Failure.unreadable.problem])
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
    fileprivate var problem: String {
        let file = "ADMIN_PASSWORD_HASH: the file beside the database (its name with .admin)"
        return switch self {
        case .unreadable: "\(file) cannot be read: remove it for a new password"
        case .unwritable: "\(file) cannot be created: check that the folder is writable"
        case .symbolicLink, .notARegularFile: "\(file) is not a regular file"
        case .foreignOwner: "\(file) belongs to another user"
        case .openToOthers:
            "\(file) can be read or written by others: remove it for a new password"
        }
    }
}
