/// The files of the folder `Templates`, which SwiftPM embeds into the executable.
enum BuiltInTemplates {
    static let languages: Set<String> = ["en", "de"]

    static func file(_ name: String) -> [UInt8]? { english(name) ?? german(name) }

    private static func english(_ name: String) -> [UInt8]? {
        switch name {
        case "layout.html": PackageResources.layout_html
        case "verifyEmail.en.txt": PackageResources.verifyEmail_en_txt
        case "verifyEmail.en.html": PackageResources.verifyEmail_en_html
        case "alreadyRegistered.en.txt": PackageResources.alreadyRegistered_en_txt
        case "alreadyRegistered.en.html": PackageResources.alreadyRegistered_en_html
        case "signInMethods.en.txt": PackageResources.signInMethods_en_txt
        case "signInMethods.en.html": PackageResources.signInMethods_en_html
        case "invitation.en.txt": PackageResources.invitation_en_txt
        case "invitation.en.html": PackageResources.invitation_en_html
        case "resetPassword.en.txt": PackageResources.resetPassword_en_txt
        case "resetPassword.en.html": PackageResources.resetPassword_en_html
        case "passwordChanged.en.txt": PackageResources.passwordChanged_en_txt
        case "passwordChanged.en.html": PackageResources.passwordChanged_en_html
        case "magicLink.en.txt": PackageResources.magicLink_en_txt
        case "magicLink.en.html": PackageResources.magicLink_en_html
        case "newDevice.en.txt": PackageResources.newDevice_en_txt
        case "newDevice.en.html": PackageResources.newDevice_en_html
        case "newApplication.en.txt": PackageResources.newApplication_en_txt
        case "newApplication.en.html": PackageResources.newApplication_en_html
        case "methodAdded.en.txt": PackageResources.methodAdded_en_txt
        case "methodAdded.en.html": PackageResources.methodAdded_en_html
        case "methodRemoved.en.txt": PackageResources.methodRemoved_en_txt
        case "methodRemoved.en.html": PackageResources.methodRemoved_en_html
        case "secondFactorChanged.en.txt": PackageResources.secondFactorChanged_en_txt
        case "secondFactorChanged.en.html": PackageResources.secondFactorChanged_en_html
        case "secondFactorRemoval.en.txt": PackageResources.secondFactorRemoval_en_txt
        case "secondFactorRemoval.en.html": PackageResources.secondFactorRemoval_en_html
        case "wrongCodes.en.txt": PackageResources.wrongCodes_en_txt
        case "wrongCodes.en.html": PackageResources.wrongCodes_en_html
        case "addressChanged.en.txt": PackageResources.addressChanged_en_txt
        case "addressChanged.en.html": PackageResources.addressChanged_en_html
        case "emailChanged.en.txt": PackageResources.emailChanged_en_txt
        case "emailChanged.en.html": PackageResources.emailChanged_en_html
        case "accountDeleted.en.txt": PackageResources.accountDeleted_en_txt
        case "accountDeleted.en.html": PackageResources.accountDeleted_en_html
        default: nil
        }
    }

    private static func german(_ name: String) -> [UInt8]? {
        switch name {
        case "verifyEmail.de.txt": PackageResources.verifyEmail_de_txt
        case "verifyEmail.de.html": PackageResources.verifyEmail_de_html
        case "alreadyRegistered.de.txt": PackageResources.alreadyRegistered_de_txt
        case "alreadyRegistered.de.html": PackageResources.alreadyRegistered_de_html
        case "signInMethods.de.txt": PackageResources.signInMethods_de_txt
        case "signInMethods.de.html": PackageResources.signInMethods_de_html
        case "invitation.de.txt": PackageResources.invitation_de_txt
        case "invitation.de.html": PackageResources.invitation_de_html
        case "resetPassword.de.txt": PackageResources.resetPassword_de_txt
        case "resetPassword.de.html": PackageResources.resetPassword_de_html
        case "passwordChanged.de.txt": PackageResources.passwordChanged_de_txt
        case "passwordChanged.de.html": PackageResources.passwordChanged_de_html
        case "magicLink.de.txt": PackageResources.magicLink_de_txt
        case "magicLink.de.html": PackageResources.magicLink_de_html
        case "newDevice.de.txt": PackageResources.newDevice_de_txt
        case "newDevice.de.html": PackageResources.newDevice_de_html
        case "newApplication.de.txt": PackageResources.newApplication_de_txt
        case "newApplication.de.html": PackageResources.newApplication_de_html
        case "methodAdded.de.txt": PackageResources.methodAdded_de_txt
        case "methodAdded.de.html": PackageResources.methodAdded_de_html
        case "methodRemoved.de.txt": PackageResources.methodRemoved_de_txt
        case "methodRemoved.de.html": PackageResources.methodRemoved_de_html
        case "secondFactorChanged.de.txt": PackageResources.secondFactorChanged_de_txt
        case "secondFactorChanged.de.html": PackageResources.secondFactorChanged_de_html
        case "secondFactorRemoval.de.txt": PackageResources.secondFactorRemoval_de_txt
        case "secondFactorRemoval.de.html": PackageResources.secondFactorRemoval_de_html
        case "wrongCodes.de.txt": PackageResources.wrongCodes_de_txt
        case "wrongCodes.de.html": PackageResources.wrongCodes_de_html
        case "addressChanged.de.txt": PackageResources.addressChanged_de_txt
        case "addressChanged.de.html": PackageResources.addressChanged_de_html
        case "emailChanged.de.txt": PackageResources.emailChanged_de_txt
        case "emailChanged.de.html": PackageResources.emailChanged_de_html
        case "accountDeleted.de.txt": PackageResources.accountDeleted_de_txt
        case "accountDeleted.de.html": PackageResources.accountDeleted_de_html
        default: nil
        }
    }
}
