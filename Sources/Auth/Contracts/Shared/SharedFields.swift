package import AuthDomain
internal import AuthOperations
internal import Bytes
package import WebAuthn

/// Members that several contracts have in their bodies.
extension Fields {
    package func email(_ name: String = "email") throws(RequestError) -> EmailAddress {
        guard let email = EmailAddress(parsing: try required(name)) else {
            throw .invalidField(name, .notEmailAddress)
        }
        return email
    }

    /// nil for the account's own address.
    func optionalEmail() throws(RequestError) -> EmailAddress? {
        try text("email") == nil ? nil : try email()
    }

    /// A new password and its confirmation, which must be equal.
    func confirmedPassword(_ name: String) throws(RequestError) -> String {
        let password = try required(name)
        let confirmation = try required("confirmPassword")
        guard confirmation.utf8.elementsEqual(password.utf8) else {
            throw .invalidField("confirmPassword", .differsFrom(name))
        }
        return password
    }

    /// `{"givenName": "Ada", "familyName": "Lovelace"}`, as Apple's frameworks encode a name.
    func fullName() throws(RequestError) -> PersonName? {
        try object("fullName").map { name throws(RequestError) in
            PersonName(given: try name.text("givenName"), family: try name.text("familyName"))
        }
    }

    /// The app's description of its device: its own identifier of the device, and the token of a
    /// trusted device.
    func device() throws(RequestError) -> DeviceClaim {
        let fingerprint = try optional("deviceFingerprint")
        if let fingerprint, fingerprint.utf8.count > DeviceClaim.fingerprintBytesMax {
            throw .invalidField(
                "deviceFingerprint", .tooLong(bytesMax: DeviceClaim.fingerprintBytesMax))
        }
        return DeviceClaim(fingerprint: fingerprint, token: try optional("deviceToken"))
    }

    /// The response of an authenticator to request options.
    package func assertion() throws(RequestError) -> AssertionResponse {
        let credential = try requiredJSON("credential")
        do throws(ResponseFailure) {
            return try AssertionResponse(parsing: credential)
        } catch {
            throw .invalidField("credential", .malformedCredential(member: error.member))
        }
    }

    /// The response of an authenticator to creation options.
    package func registration() throws(RequestError) -> RegistrationResponse {
        let credential = try requiredJSON("credential")
        do throws(ResponseFailure) {
            return try RegistrationResponse(parsing: credential)
        } catch {
            throw .invalidField("credential", .malformedCredential(member: error.member))
        }
    }

    /// The provider, for contracts that support only Apple and Google.
    package func appleOrGoogle() throws -> String {
        let provider = try required("provider")
        guard provider.isSame(as: "apple") || provider.isSame(as: "google") else {
            throw AuthError.signIn(.unknownProvider)
        }
        return provider
    }
}

extension ResponseFailure {
    fileprivate var member: String {
        switch self {
        case .missing(let member), .malformed(let member), .tooLong(let member): member.rawValue
        case .differentIDs: ResponseMember.rawID.rawValue
        case .unsupportedType: ResponseMember.type.rawValue
        }
    }
}
