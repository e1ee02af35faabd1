internal import AuthDomain
internal import AuthRecords
internal import Bytes
package import Cryptography
internal import KeyValueStore

/// Encrypts the secrets of authenticator apps, each bound to its account.
package struct SecondFactorSealing: Sendable {
    private let key: AESGCMKey
    private let random: RandomSource

    package init(_ key: AESGCMKey, random: RandomSource) {
        self.key = key
        self.random = random
    }

    func seal(_ password: OneTimePassword, of user: UserID) throws(AuthError) -> [UInt8] {
        guard
            let sealed = try? key.seal(
                password.secret, additional: context(user), random: random)
        else { throw .fault(.signingFailed) }
        return sealed
    }

    func open(_ factor: SecondFactor, of user: UserID) throws(AuthError) -> OneTimePassword {
        guard let secret = try? key.open(factor.sealedSecret, additional: context(user)) else {
            throw .fault(.sealedDataUnreadable)
        }
        return OneTimePassword(secret: secret)
    }

    private func context(_ user: UserID) -> [UInt8] {
        let row = StoreLayout.secondFactor(of: user)
        return Array("latchkey second factor\0\(row.partition)\0\(row.sort)".utf8)
    }
}
