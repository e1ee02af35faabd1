// Made by scripts/web-types of the contract's OpenAPI document.

export type Challenge = {
    nonce: string;
    /** The lifetime, in seconds. */
    expiresIn: number;
};

export type SignInRequest = {
    /** apple, google, or the name of a configured OpenID provider. */
    provider: string;
    /** The ID token, unchanged, as issued by the provider. */
    idToken: string;
    /** The nonce of the challenge, if it was passed to the provider. */
    nonce?: string | null;
    /** Apple's authorization code. It is exchanged for tokens if the deployment has Apple's key. */
    authorizationCode?: string | null;
    /** The user's name. Apple gives it only to the app, and only once. */
    fullName?: {
        givenName?: string | null;
        familyName?: string | null;
    } | null;
    /** The device, shown in the list of sessions. */
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    /** A text by which the app recognizes the device. It is not stored. */
    deviceFingerprint?: string | null;
    /** The token of a trusted device. Without it the sign-in needs the second factor. Sensitive changes need the second factor in any case. */
    deviceToken?: string | null;
};

export type Registration = {
    email: string;
    password: string;
    displayName?: string | null;
};

export type NewName = {
    displayName: string;
};

export type Verification = {
    /** The token from the link. */
    token?: string;
    /** The code from the mail, instead of the token. */
    code?: string;
    /** The `requestSecret` that the request for the mail returned. Required with the code. */
    requestSecret?: string;
    password: string;
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    deviceFingerprint?: string | null;
};

export type Address = {
    email: string;
};

export type Login = {
    email: string;
    password: string;
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    /** A text by which the app recognizes the device. It is not stored. */
    deviceFingerprint?: string | null;
    /** The token of a trusted device. Without it the sign-in needs the second factor. Sensitive changes need the second factor in any case. */
    deviceToken?: string | null;
};

export type Reset = {
    /** The token from the link. */
    token?: string;
    /** The code from the mail, instead of the token. */
    code?: string;
    /** The `requestSecret` that the request for the mail returned. Required with the code. */
    requestSecret?: string;
    newPassword: string;
};

export type PasswordChange = {
    currentPassword: string;
    newPassword: string;
};

export type SecondFactorRequired = {
    secondFactorRequired: true;
    /** The ticket for `/auth/second-factor`. It can be used once. */
    ticket: string;
    /** The lifetime, in seconds. */
    expiresIn: number;
    methods: Array<"totp" | "recoveryCode" | "passkey">;
};

/** Send one of these: `password`; `code`; `recoveryCode`; `requestSecret` with `code` or `token`, from `POST /auth/magic-link` with the account's own address; `ceremony` and `credential`; `provider`, `idToken` and `nonce`. */
export type StepUpRequest = {
    password?: string;
    /** The code from the authenticator app, or from the mail. */
    code?: string;
    recoveryCode?: string;
    /** The token from the mailed link. */
    token?: string;
    requestSecret?: string;
    /** A ceremony with the purpose `stepUp`. */
    ceremony?: string;
    /** The result of `PublicKeyCredential.toJSON()`. */
    credential?: object;
    provider?: string;
    idToken?: string;
    nonce?: string | null;
};

export type StepUp = {
    accessToken: string;
    tokenType: "Bearer" | "DPoP";
    /** The lifetime, in seconds. */
    expiresIn: number;
    /** The time of expiry, in seconds since the epoch. */
    expiresAt: number;
    acr: ProofStrength;
    /** The methods of authentication (RFC 8176). */
    amr: Array<string>;
    /** The time of authentication, in seconds since the epoch. */
    authTime: number;
};

/** How strong the authentication was: one factor (`aal1`), two factors (`aal2`), or a passkey that verified its user (`phr`). */
export type ProofStrength = "aal1" | "aal2" | "phr";

export type PasskeyOptionsRequest = {
    purpose: "signUp" | "signIn" | "add" | "secondFactor" | "stepUp";
    /** The user's address, for `signUp`. It is stored as unverified. */
    email?: string | null;
    /** The user's name, for `signUp`. */
    name?: string | null;
    /** The ticket of the sign-in, for `secondFactor`. */
    ticket?: string;
    /** Whether the client may create the passkey without asking the user, for `add`. */
    conditional?: boolean | null;
};

export type PasskeyCeremony = {
    ceremony: string;
    /** A `PublicKeyCredentialCreationOptionsJSON` or `PublicKeyCredentialRequestOptionsJSON` (WebAuthn Level 3). */
    options: object;
};

/** The result of `toJSON()` of the client's credential: a `RegistrationResponseJSON` or `AuthenticationResponseJSON` (WebAuthn Level 3). */
export type PublicKeyCredential = {
    id: string;
    rawId: string;
    type: "public-key";
    response: object;
};

export type PasskeySignUpRequest = {
    ceremony: string;
    credential: PublicKeyCredential;
    /** The name of the passkey. */
    name?: string | null;
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    deviceFingerprint?: string | null;
};

export type GuestRequest = {
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    deviceFingerprint?: string | null;
};

/** Send either `into` or `merge`. */
export type MergeRequest = {
    /** A session of the account that remains after the merge. */
    into?: {
        accessToken: string;
        refreshToken: string;
    } | null;
    /** The ticket from the response IDENTITY_IN_USE. */
    merge?: string;
    /** The refresh token of the account that ends. */
    refreshToken: string;
    /** The code from the authenticator app of the account that remains. */
    code?: string | null;
    recoveryCode?: string | null;
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    deviceFingerprint?: string | null;
};

export type InUse = Problem & {
    /** The ticket for `/auth/merge`. */
    merge?: string;
    /** The lifetime, in seconds. */
    expiresIn?: number;
};

export type PasskeySignInRequest = {
    ceremony: string;
    credential: PublicKeyCredential;
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    deviceFingerprint?: string | null;
    deviceToken?: string | null;
};

export type PasskeyAddRequest = {
    ceremony: string;
    credential: PublicKeyCredential;
    name?: string | null;
};

export type PasskeyName = {
    name: string;
};

export type Passkeys = {
    passkeys: Array<{
        id: string;
        credentialId: string;
        name?: string;
        /** The software or device that keeps the passkey, if it is known. */
        provider?: string;
        /** Whether the passkey can be on several devices. */
        synced: boolean;
        backedUp: boolean;
        /** Whether the current session was started with it. */
        current: boolean;
        createdAt: Time;
        lastUsedAt: Time;
    }>;
    /** The arguments for `PublicKeyCredential.signalAllAcceptedCredentials` and `signalCurrentUserDetails`. */
    signals: {
        rpId: string;
        userId?: string;
        name?: string;
        displayName?: string;
        allAcceptedCredentialIds?: Array<string>;
    };
};

export type RelatedOrigins = {
    origins: Array<string>;
};

export type AppleAppSiteAssociation = {
    webcredentials: object;
};

export type AssetLinks = Array<object>;

export type SignInCode = {
    code: string;
    codeVerifier: string;
};

export type SecondFactorAnswer = {
    ticket: string;
    /** The app's six-digit code. */
    code?: string | null;
    /** A recovery code, with or without hyphens, in upper or lower case. */
    recoveryCode?: string | null;
    /** The ceremony from passkey options with the purpose `secondFactor`. */
    ceremony?: string | null;
    /** The response of a passkey, instead of a code. */
    credential?: unknown;
};

export type FactorAnswer = {
    /** The app's six-digit code. */
    code?: string | null;
    /** A recovery code, with or without hyphens, in upper or lower case. */
    recoveryCode?: string | null;
};

export type Code = {
    /** The app's six-digit code. */
    code: string;
};

export type Enrolment = {
    /** The secret, for users who type it into the app. */
    secret: string;
    uri: string;
    /** The URI as a QR code, in an SVG image. */
    qrCode: string;
    /** The number of seconds within which the app must be confirmed. */
    expiresIn: number;
};

export type RecoveryCodes = {
    recoveryCodes: Array<string>;
};

export type ProtectedSession = Session & RecoveryCodes;

export type Devices = {
    devices: Array<{
        id: Id;
        current: boolean;
        name?: string;
        os?: string;
        userAgent?: string;
        ipAddress?: string;
        sessions: number;
        firstSeenAt: string;
        lastUsedAt: string;
        trustedUntil?: string;
    }>;
};

export type DeviceTrust = {
    deviceToken: string;
    /** The lifetime, in seconds. */
    expiresIn: number;
};

export type MailSent = {
    message: string;
    email: string;
    /** A secret to keep in this app: the code from the mail, or a sign-in link, is valid only together with it. */
    requestSecret: string;
};

export type MagicLinkToken = {
    /** The token from the link. */
    token?: string;
    /** The code from the mail, instead of the token. */
    code?: string;
    /** The `requestSecret` that the request for the link returned. */
    requestSecret: string;
    /** The device, shown in the list of sessions. */
    device?: {
        name?: string | null;
        os?: string | null;
    } | null;
    /** A text by which the app recognizes the device. It is not stored. */
    deviceFingerprint?: string | null;
    /** The token of a trusted device. Without it the sign-in needs the second factor. Sensitive changes need the second factor in any case. */
    deviceToken?: string | null;
};

export type UndoLink = {
    /** The token from the link. */
    token: string;
};

export type EmailConfirmation = {
    /** The token from the link. */
    token?: string;
    /** The code from the mail, instead of the token. */
    code?: string;
    /** The `requestSecret` that the request for the mail returned. Required with the code. */
    requestSecret?: string;
};

export type LinkRequest = {
    /** apple, google, or the name of a configured OpenID provider. */
    provider: string;
    /** The ID token, unchanged, as issued by the provider. */
    idToken: string;
    /** The nonce of the challenge, if it was passed to the provider. */
    nonce?: string | null;
    /** Apple's authorization code. It is exchanged for tokens if the deployment has Apple's key. */
    authorizationCode?: string | null;
};

export type PasswordAddition = {
    password: string;
    /** The address to sign in with, if it is not the account's own. */
    email?: string | null;
};

export type PasswordConfirmation = {
    /** The token from the link. */
    token?: string;
    /** The code from the mail, instead of the token. */
    code?: string;
    /** The `requestSecret` that the request for the mail returned. Required with the code. */
    requestSecret?: string;
};

export type Methods = {
    /** The sign-in methods; a guest has none. */
    methods: Array<{
        /** The name of a provider, or `email`. */
        method: string;
        email?: string;
        hasPassword?: boolean;
    }>;
};

export type RefreshRequest = {
    refreshToken: string;
};

export type SignOutRequest = {
    refreshToken?: string | null;
    /** Which sessions end: this one (the default), all others, or all. */
    scope?: "session" | "others" | "all" | null;
};

export type CredentialsRequest = {
    /** The permitted access; the default is `readwrite`. */
    access?: "read" | "readwrite" | null;
    /** A path below your own prefix. */
    prefix?: string | null;
    durationSeconds?: number | null;
};

export type Session = {
    accessToken: string;
    refreshToken: string;
    /** With `DPoP`, every use of the tokens needs a proof of the app's key (RFC 9449); the deployment must allow it. */
    tokenType: "Bearer" | "DPoP";
    /** The lifetime, in seconds. */
    expiresIn: number;
    /** The time of expiry, in seconds since the epoch. */
    expiresAt: number;
    user: User;
    /** The new token of the trusted device; it replaces the one that was sent. */
    deviceToken?: string;
};

export type NewSession = Session & {
    isNewUser: boolean;
    /** Present only for a new account whose e-mail address belongs to another account. The accounts are not linked, and the address cannot log in to this account. */
    emailTaken?: true;
};

export type User = {
    id: Id;
    email?: string;
    emailVerified: boolean;
    displayName?: string;
    /** Present if the account has no way to sign in yet; otherwise absent. */
    isGuest?: true;
    createdAt: Time;
};

export type Profile = User & {
    /** The providers with which the account signs in; a guest has none. */
    authProviders: Array<string>;
    updatedAt: Time;
};

export type Export = {
    exportedAt: Time;
    account: User & {
        /** The address used to log in to the account. */
        login?: string;
        updatedAt: Time;
        isAdmin: boolean;
        isDisabled: boolean;
    };
    identities: Array<{
        provider: string;
        issuer: string;
        subject: string;
    }>;
    hasPassword: boolean;
    hasSecondFactor: boolean;
    /** The providers whose token is kept, encrypted, so that it can be revoked when the account is deleted. */
    providerTokens: Array<string>;
    sessions: Array<ListedSession>;
    devices: Array<{
        id: string;
        name?: string;
        os?: string;
        userAgent?: string;
        ipAddress?: string;
        firstSeenAt: Time;
        lastSeenAt: Time;
        trustedUntil?: Time;
    }>;
    /** The passkeys; absent if there are none. */
    passkeys?: Array<{
        id: string;
        name?: string;
        createdAt: Time;
        lastUsedAt: Time;
    }>;
    /** The addresses that can be restored; absent if there are none. */
    formerEmails?: Array<string>;
    /** The events, newest first. */
    events: Array<AuditEvent>;
    /** The value of `after` for the next page; present if there may be more events. */
    next?: string;
};

export type ListedSession = {
    id: Id;
    current: boolean;
    createdAt: Time;
    lastUsedAt: Time;
    device?: {
        name?: string;
        os?: string;
    };
    ipAddress?: string;
    userAgent?: string;
};

export type UserSessions = {
    sessions: Array<UserSession>;
};

export type UserSession = {
    id: Id;
    createdAt: Time;
    lastUsedAt: Time;
    device?: {
        name?: string;
        os?: string;
    };
    ipAddress?: string;
    userAgent?: string;
};

export type Sessions = {
    sessions: Array<ListedSession>;
};

export type Storage = {
    credentials: {
        accessKeyId: string;
        secretAccessKey: string;
        sessionToken: string;
        expiration: Time;
    };
    bucket: string;
    prefix: string;
    region: string;
    /** The storage's endpoint, if it is not AWS's own. */
    endpoint?: string;
};

export type KeySet = {
    keys: Array<{
        kty: string;
        kid: string;
        alg: string;
        use: "sig";
    }>;
};

export type OAuthProblem = {
    error: string;
    error_description: string;
};

export type ClientTokens = {
    access_token: string;
    token_type: "Bearer" | "DPoP";
    expires_in: number;
    scope: string;
    refresh_token?: string;
    id_token?: string;
    /** The type of the issued token, after a token exchange (RFC 8693). */
    issued_token_type?: string;
};

export type DeviceAuthorization = {
    /** The code for the device only; it is not shown. */
    device_code: string;
    /** The code that the user types. */
    user_code: string;
    verification_uri: string;
    verification_uri_complete: string;
    expires_in: number;
    /** The seconds to wait between two requests to `/oauth/token`. */
    interval: number;
};

export type TokenState = {
    active: boolean;
    scope?: string;
    client_id?: string;
    sub?: string;
    aud?: string;
    iss?: string;
    exp?: number;
    iat?: number;
    jti?: string;
    token_type?: string;
    auth_time?: number;
    acr?: string;
    cnf?: object;
    /** Who acts for the user after a token exchange (RFC 8693). */
    act?: object;
};

export type ClientDescription = {
    /** Required for the grant type authorization_code. */
    redirect_uris?: Array<string>;
    client_name?: string;
    client_uri?: string;
    post_logout_redirect_uris?: Array<string>;
    token_endpoint_auth_method?: string;
    grant_types?: Array<string>;
    response_types?: Array<string>;
    scope?: string;
    application_type?: string;
    profile?: "fapi2";
    id_token_signed_response_alg?: string;
};

export type RegisteredClient = {
    client_id: string;
    client_id_issued_at: number;
    client_secret?: string;
    client_secret_expires_at?: number;
    redirect_uris: Array<string>;
    client_name?: string;
    client_uri?: string;
    post_logout_redirect_uris?: Array<string>;
    token_endpoint_auth_method: string;
    grant_types: Array<string>;
    response_types: Array<string>;
    scope: string;
    application_type?: string;
    profile?: "fapi2";
    id_token_signed_response_alg?: string;
};

export type UserInfo = {
    sub: string;
    name?: string;
    email?: string;
    email_verified?: boolean;
};

export type ProviderMetadata = {
    issuer: string;
    authorization_endpoint: string;
    token_endpoint: string;
    end_session_endpoint?: string;
    jwks_uri: string;
};

export type AdministeredClient = {
    client_id: string;
    client_name: string;
    /** Where the program's description is from. */
    source: "settings" | "administrator" | "registration";
    token_endpoint_auth_method: string;
    redirect_uris: Array<string>;
    grant_types: Array<string>;
    id_token_signed_response_alg: string;
    /** The scopes that the program may request. If absent, it may request all of them. */
    scope?: string;
    allowed_resources?: Array<string>;
    /** For a resource server, the resource whose tokens it may introspect. */
    resource?: string;
    first_party?: boolean;
    profile?: "fapi2";
    dpop_bound_access_tokens?: boolean;
    /** Why the program cannot be used: the current settings exclude it. Its requests are answered like those of an unknown client. */
    problem?: string;
    post_logout_redirect_uris?: Array<string>;
    backchannel_logout_uri?: string;
    registeredAt?: string;
    disabledAt?: string;
    /** When the former secret expires. */
    formerSecretEndsAt?: string;
    /** When everything that users had granted to the program was revoked. */
    grantsEndedAt?: string;
};

export type AdministeredClients = {
    clients: Array<AdministeredClient>;
    /** The value of `after` for the next page; present if there may be more. */
    next?: string;
};

export type NextSigningKey = {
    kid: string;
    signsFrom: string;
};

export type NewClientSecret = {
    /** Whether the current secret stays valid for a while. Choose `ended` if it was disclosed. */
    former?: "kept" | "ended" | null;
    reason?: string | null;
    /** The administrator's password, if the request has the administrator's cookie. */
    password?: string | null;
};

export type ReplacedClientSecret = {
    client_id: string;
    client_secret: string;
    client_secret_expires_at: number;
    /** When the former secret expires. */
    formerSecretEndsAt?: string;
};

export type NewClient = {
    client_name?: string;
    post_logout_redirect_uris?: Array<string>;
    backchannel_logout_uri?: string;
    redirect_uris?: Array<string>;
    grant_types?: Array<string>;
    token_endpoint_auth_method?: string;
    scope?: string;
    allowed_resources?: Array<string>;
    resource?: string;
    first_party?: boolean;
    profile?: "fapi2";
    jwks?: object;
    jwks_uri?: string;
    reason?: string | null;
    /** The administrator's password, if the request has the administrator's cookie. */
    password?: string | null;
};

export type AddedClient = {
    client_id: string;
    client_id_issued_at: number;
    client_secret?: string;
    client_secret_expires_at?: number;
    client_name?: string;
    redirect_uris?: Array<string>;
    grant_types?: Array<string>;
    token_endpoint_auth_method?: string;
};

export type Application = {
    client_id: string;
    /** Identifies the app in paths; a `client_id` can be a URL. */
    id: string;
    name: string;
    scope: string;
    resources: Array<string>;
    since: string;
    lastUsedAt?: string;
};

export type Applications = {
    applications: Array<Application>;
};

export type ClientUsers = {
    users: Array<ClientUser>;
    /** The value of `after` for the next page; present if there may be more. */
    next?: string;
};

export type ClientUser = {
    id: Id;
    email?: string;
    displayName?: string;
    scope: string;
    resources: Array<string>;
    since: string;
};

export type Discovery = {
    issuer: string;
    jwks_uri: string;
    revocations_uri?: string;
};

export type Success = {
    success: true;
};

export type Id = string;

/** A time in UTC, as in RFC 3339. */
export type Time = string;

export type Problem = {
    error: {
        /** The error's code, for programs; it does not change. */
        code: string;
        /** A message for developers. */
        message: string;
        /** The member of the body that the error is about. */
        field?: string;
        /** The application's own code, with SIGN_UP_REFUSED and SIGN_IN_REFUSED. */
        reason?: string;
        /** What the app should do after a failed refresh: sign in again, or keep the session and try again. Absent: the request is invalid, and neither helps. */
        action?: "reauthenticate" | "retry";
    };
};

export type GatewayProblem = {
    message: string;
};

export type AdminLoginRequest = {
    password: string;
    /** The path to continue at. */
    next?: string | null;
};

export type AdministeredUser = Profile & {
    isAdmin: boolean;
    /** The role of an administrator. */
    role?: "viewer" | "support" | "administrator";
    isDisabled: boolean;
};

export type Users = {
    users: Array<AdministeredUser>;
    /** The value of `after` for the next page; present if there may be more. */
    next?: string;
};

export type DeadWebhooks = {
    webhooks: Array<DeadWebhook>;
    /** The value of `after` for the next page; absent on the last. */
    next?: string;
};

export type DeadWebhook = {
    id: string;
    diedAt: Time;
    /** The webhook's URL; absent if it is no longer in `WEBHOOKS`. */
    url?: string;
    user?: Id;
    event?: AuditEvent;
};

export type AuditEvents = {
    events: Array<AuditEvent>;
    /** The value of `after` for the next page; absent on the last. */
    next?: string;
};

export type AuditEvent = {
    id: Id;
    type: string;
    success: boolean;
    createdAt: Time;
    session?: Id;
    ipAddress?: string;
    userAgent?: string;
    /** The reason for a failure, or the method. */
    detail?: string;
    /** The actor, if it is not the account's owner. */
    by?: string;
    /** The administrator's reason; shown to administrators only. */
    reason?: string;
};

export type Reason = {
    /** A reason for the audit log, of at most 500 bytes. */
    reason?: string | null;
};

export type ApplicationRemoval = {
    /** The program's `client_id`. */
    application: string;
    reason?: string | null;
};

export type MethodRemoval = {
    /** The name of a provider, `email`, `password`, `passkey:ID` for one passkey, or `passkey` for all of them. */
    method: string;
    reason?: string | null;
    password?: string | null;
};

export type RoleChange = {
    /** The new role; `null` removes the role. */
    role?: "viewer" | "support" | "administrator" | null;
    reason?: string | null;
    password?: string | null;
};

export type AddressChange = {
    email: string;
    /** With `none`, the former address cannot undo the change; needs a reason. */
    undo?: "allowed" | "none" | null;
    reason?: string | null;
    password?: string | null;
};

export type FactorRemoval = {
    removableFrom: string;
};

export type UserCreation = {
    email: string;
    displayName?: string | null;
    reason?: string | null;
    /** The administrator's password, if the request has the administrator's cookie. */
    password?: string | null;
};

export type NameChange = {
    /** The new name; an empty one removes the name. */
    name: string;
    reason?: string | null;
};

export type ProvenReason = {
    reason?: string | null;
    /** The administrator's password, if the request has the administrator's cookie. */
    password?: string | null;
};

export type AuditVerification = {
    /** The value of `next` from the previous call. */
    after?: string | null;
    /** Chain heads that were stored elsewhere, at most 1000. */
    anchors?: Array<AuditHead> | null;
};

export type AuditHead = {
    /** The name of a chain. */
    chain: string;
    sequence: number;
    link: string;
    /** The time of expiry, in milliseconds since the epoch. */
    expiresAt: number;
};

export type AuditReport = {
    intact: boolean;
    chains: number;
    events: number;
    findings: Array<{
        /** The name of a chain. */
        chain: string;
        defect: string;
        first: number;
        last: number;
    }>;
    /** The value of `after` for the next call; absent if the whole log was verified. */
    next?: string;
};

/** The routes, by method and path. */
export interface Routes {
    /** Get a nonce for an ID token */
    "POST /auth/challenge": { body: undefined; answer: Challenge };
    /** Sign in with an ID token */
    "POST /auth/signin": { body: SignInRequest; answer: NewSession | SecondFactorRequired };
    /** Register with an e-mail address and a password */
    "POST /auth/register": { body: Registration; answer: MailSent };
    /** Verify the address */
    "POST /auth/verify-email": { body: Verification; answer: Session };
    /** Mail another link */
    "POST /auth/resend-verification": { body: Address; answer: MailSent };
    /** Log in with an e-mail address and a password */
    "POST /auth/login": { body: Login; answer: SecondFactorRequired | Session };
    /** Mail a link to reset the password */
    "POST /auth/forgot-password": { body: Address; answer: MailSent };
    /** Replace a forgotten password */
    "POST /auth/reset-password": { body: Reset; answer: undefined };
    /** Replace the password */
    "POST /auth/change-password": { body: PasswordChange; answer: Session };
    /** Mail a link that signs in */
    "POST /auth/magic-link": { body: Address; answer: MailSent };
    /** Sign in with a mailed link */
    "POST /auth/magic-link/redeem": { body: MagicLinkToken; answer: NewSession | SecondFactorRequired };
    /** Mail a link that verifies the address */
    "POST /auth/email/confirmation": { body: undefined; answer: MailSent };
    /** Verify the address, or a new one, with a mailed link */
    "POST /auth/email/confirm": { body: EmailConfirmation; answer: Profile };
    /** List the sign-in methods of your account */
    "GET /auth/methods": { body: undefined; answer: Methods };
    /** Add an identity from a provider */
    "POST /auth/methods": { body: LinkRequest; answer: Methods };
    /** Remove a sign-in method */
    [route: `DELETE /auth/methods/${string}`]: { body: undefined; answer: Session };
    /** Add a password */
    "POST /auth/methods/password": { body: PasswordAddition; answer: MailSent | Methods };
    /** Add a password with a mailed link */
    "POST /auth/methods/password/confirm": { body: PasswordConfirmation; answer: Methods };
    /** Exchange a refresh token for its successor */
    "POST /auth/refresh": { body: RefreshRequest; answer: Session };
    /** End sessions */
    "POST /auth/signout": { body: SignOutRequest; answer: Success };
    /** Get the signed-in user */
    "GET /auth/me": { body: undefined; answer: Profile };
    /** Change your name */
    "PATCH /auth/me": { body: NewName; answer: Profile };
    /** Get all data of your account */
    "GET /auth/export": { body: undefined; answer: Export };
    /** Get all data of your account */
    [route: `GET /auth/export?${string}`]: { body: undefined; answer: Export };
    /** Receive a notification from Apple */
    "POST /auth/apple/notifications": { body: {
            /** A JWT, signed by Apple. */
            payload: string;
        }; answer: object };
    /** Delete your account */
    "DELETE /auth/account": { body: undefined; answer: undefined };
    /** List your sessions */
    "GET /auth/sessions": { body: undefined; answer: Sessions };
    /** End one of your sessions */
    [route: `DELETE /auth/sessions/${string}`]: { body: undefined; answer: undefined };
    /** Get credentials for your storage */
    "POST /auth/credentials": { body: CredentialsRequest; answer: Storage };
    /** Get the keys that verify access tokens */
    "GET /.well-known/jwks.json": { body: undefined; answer: KeySet };
    /** Get the OpenID Connect discovery document */
    "GET /.well-known/openid-configuration": { body: undefined; answer: Discovery };
    /** Publish the next signing key */
    "POST /auth/admin/keys/rotate": { body: ProvenReason; answer: NextSigningKey };
    /** Present the second factor */
    "POST /auth/second-factor": { body: SecondFactorAnswer; answer: Session };
    /** Enrol an authenticator app */
    "POST /auth/totp": { body: undefined; answer: Enrolment };
    /** Enable the second factor */
    "POST /auth/totp/confirm": { body: Code; answer: ProtectedSession };
    /** Replace the recovery codes */
    "POST /auth/totp/recovery-codes": { body: Code; answer: RecoveryCodes };
    /** Remove the second factor */
    "POST /auth/totp/remove": { body: FactorAnswer; answer: Session };
    /** Begin a passkey ceremony */
    "POST /auth/passkeys/options": { body: PasskeyOptionsRequest; answer: PasskeyCeremony };
    /** Create an account that has only a passkey */
    "POST /auth/passkeys/signup": { body: PasskeySignUpRequest; answer: Session };
    /** Sign in with a passkey */
    "POST /auth/passkeys/signin": { body: PasskeySignInRequest; answer: SecondFactorRequired | Session };
    /** List the passkeys of your account */
    "GET /auth/passkeys": { body: undefined; answer: Passkeys };
    /** Add a passkey */
    "POST /auth/passkeys": { body: PasskeyAddRequest; answer: Passkeys };
    /** Rename a passkey */
    [route: `PATCH /auth/passkeys/${string}`]: { body: PasskeyName; answer: Passkeys };
    /** Remove a passkey */
    [route: `DELETE /auth/passkeys/${string}`]: { body: undefined; answer: undefined };
    /** List the web origins on other domains that may use the passkeys */
    "GET /.well-known/webauthn": { body: undefined; answer: RelatedOrigins };
    /** List the apps on Apple's systems that may use the passkeys */
    "GET /.well-known/apple-app-site-association": { body: undefined; answer: AppleAppSiteAssociation };
    /** List the Android apps that may use the passkeys */
    "GET /.well-known/assetlinks.json": { body: undefined; answer: AssetLinks };
    /** Authenticate again in the current session */
    "POST /auth/step-up": { body: StepUpRequest; answer: StepUp };
    /** List the devices on which the user has signed in */
    "GET /auth/devices": { body: undefined; answer: Devices };
    /** Trust the device of this session */
    [route: `POST /auth/devices/${string}/trust`]: { body: Code; answer: DeviceTrust };
    /** Forget a device */
    [route: `DELETE /auth/devices/${string}`]: { body: undefined; answer: undefined };
    /** Create a guest account */
    "POST /auth/guest": { body: GuestRequest; answer: Session };
    /** Merge your account into another one */
    "POST /auth/merge": { body: MergeRequest; answer: Session };
    /** Get the page with the password form */
    "GET /auth/admin/login": { body: undefined; answer: undefined };
    /** Get the page with the password form */
    [route: `GET /auth/admin/login?${string}`]: { body: undefined; answer: undefined };
    /** Sign in with the administrator's password */
    "POST /auth/admin/login": { body: AdminLoginRequest; answer: undefined };
    /** End the administrator's session */
    "POST /auth/admin/logout": { body: undefined; answer: undefined };
    /** List the users, newest first */
    "GET /auth/users": { body: undefined; answer: Users };
    /** List the users, newest first */
    [route: `GET /auth/users?${string}`]: { body: undefined; answer: Users };
    /** Create a user */
    "POST /auth/users": { body: UserCreation; answer: AdministeredUser };
    /** Disable a user and end all their sessions */
    [route: `POST /auth/users/${string}/disable`]: { body: Reason; answer: AdministeredUser };
    /** Enable a user again */
    [route: `POST /auth/users/${string}/enable`]: { body: Reason; answer: AdministeredUser };
    /** End every session of a user */
    [route: `POST /auth/users/${string}/signout`]: { body: Reason; answer: AdministeredUser };
    /** Make a user an administrator */
    [route: `PUT /auth/users/${string}/admin`]: { body: ProvenReason; answer: AdministeredUser };
    /** Remove the administrator role */
    [route: `DELETE /auth/users/${string}/admin`]: { body: undefined; answer: AdministeredUser };
    /** Give or remove a role */
    [route: `PUT /auth/users/${string}/role`]: { body: RoleChange; answer: AdministeredUser };
    /** Mail a user a link to choose a new password */
    [route: `POST /auth/users/${string}/mail-password-link`]: { body: Reason; answer: undefined };
    /** Mail a user a link that verifies the address */
    [route: `POST /auth/users/${string}/mail-verification-link`]: { body: Reason; answer: undefined };
    /** Change a user's name */
    [route: `POST /auth/users/${string}/name`]: { body: NameChange; answer: undefined };
    /** Remove a lost second factor */
    [route: `POST /auth/users/${string}/remove-second-factor`]: { body: ProvenReason; answer: FactorRemoval | undefined };
    /** Cancel the pending removal of a second factor */
    [route: `POST /auth/users/${string}/stop-second-factor-removal`]: { body: Reason; answer: undefined };
    /** Remove a way to sign in */
    [route: `POST /auth/users/${string}/remove-method`]: { body: MethodRemoval; answer: undefined };
    /** Remove the access that a user has given a program */
    [route: `POST /auth/users/${string}/remove-application`]: { body: ApplicationRemoval; answer: undefined };
    /** Export an account */
    [route: `POST /auth/users/${string}/export`]: { body: ProvenReason; answer: Export };
    /** Delete an account */
    [route: `POST /auth/users/${string}/delete`]: { body: ProvenReason; answer: undefined };
    /** Request a change of the e-mail address */
    "POST /auth/email": { body: Address; answer: MailSent };
    /** Restore the former e-mail address */
    "POST /auth/email/undo": { body: UndoLink; answer: undefined };
    /** Undo an added way to sign in, or a change of the second factor */
    "POST /auth/undo": { body: UndoLink; answer: undefined };
    /** Change a user's e-mail address */
    [route: `PUT /auth/users/${string}/email`]: { body: AddressChange; answer: AdministeredUser };
    /** List the events of your own account, newest first */
    "GET /auth/audit": { body: undefined; answer: AuditEvents };
    /** List the events of your own account, newest first */
    [route: `GET /auth/audit?${string}`]: { body: undefined; answer: AuditEvents };
    /** List the events of an account, newest first */
    [route: `GET /auth/users/${string}/audit`]: { body: undefined; answer: AuditEvents };
    /** List the events of an account, newest first */
    [route: `GET /auth/users/${string}/audit?${string}`]: { body: undefined; answer: AuditEvents };
    /** List the events that belong to no account, newest first */
    "GET /auth/admin/audit": { body: undefined; answer: AuditEvents };
    /** List the events that belong to no account, newest first */
    [route: `GET /auth/admin/audit?${string}`]: { body: undefined; answer: AuditEvents };
    /** Verify that the audit log was not tampered with */
    "POST /auth/admin/audit/verify": { body: AuditVerification; answer: AuditReport };
    /** List the sessions of a user */
    [route: `GET /auth/users/${string}/sessions`]: { body: undefined; answer: UserSessions };
    /** End one session of a user */
    [route: `DELETE /auth/users/${string}/sessions/${string}`]: { body: Reason; answer: undefined };
    /** List the events that could not be delivered in time, newest first */
    "GET /auth/webhooks/dead": { body: undefined; answer: DeadWebhooks };
    /** List the events that could not be delivered in time, newest first */
    [route: `GET /auth/webhooks/dead?${string}`]: { body: undefined; answer: DeadWebhooks };
    /** Deliver an event again */
    [route: `POST /auth/webhooks/dead/${string}/resend`]: { body: undefined; answer: Success };
    /** Exchange a sign-in's code for a session */
    "POST /auth/ui/token": { body: SignInCode; answer: Session };
    /** Exchange a code, a refresh token or a device code for tokens */
    "POST /oauth/token": { body: undefined; answer: ClientTokens };
    /** Push an authorization request */
    "POST /oauth/par": { body: undefined; answer: {
            request_uri: string;
            expires_in: number;
        } };
    /** Revoke the grant of a token */
    "POST /oauth/revoke": { body: undefined; answer: object };
    /** Find out whether a token is active */
    "POST /oauth/introspect": { body: undefined; answer: TokenState };
    /** Start a device's request for access */
    "POST /oauth/device_authorization": { body: undefined; answer: DeviceAuthorization };
    /** Register a program */
    "POST /oauth/register": { body: ClientDescription; answer: RegisteredClient };
    /** Get the claims about an access token's user */
    "GET /oauth/userinfo": { body: undefined; answer: UserInfo };
    /** Get the claims about an access token's user */
    "POST /oauth/userinfo": { body: undefined; answer: UserInfo };
    /** List the third-party programs that have access to your account */
    "GET /auth/applications": { body: undefined; answer: Applications };
    /** End the access of a program */
    [route: `DELETE /auth/applications/${string}`]: { body: undefined; answer: undefined };
    /** List the programs that can ask for access */
    "GET /auth/clients": { body: undefined; answer: AdministeredClients };
    /** List the programs that can ask for access */
    [route: `GET /auth/clients?${string}`]: { body: undefined; answer: AdministeredClients };
    /** Add a program */
    "POST /auth/clients": { body: NewClient; answer: AddedClient };
    /** Refuse all requests of a program until it is enabled again */
    [route: `POST /auth/clients/${string}/disable`]: { body: ProvenReason; answer: AdministeredClient };
    /** Enable a program again */
    [route: `POST /auth/clients/${string}/enable`]: { body: ProvenReason; answer: AdministeredClient };
    /** Give a program a new secret */
    [route: `POST /auth/clients/${string}/secret`]: { body: NewClientSecret; answer: ReplacedClientSecret };
    /** Revoke the former secret */
    [route: `POST /auth/clients/${string}/end-former-secret`]: { body: ProvenReason; answer: AdministeredClient };
    /** Revoke everything that users have granted to a program */
    [route: `POST /auth/clients/${string}/end-grants`]: { body: ProvenReason; answer: undefined };
    /** Delete a program */
    [route: `DELETE /auth/clients/${string}`]: { body: ProvenReason; answer: undefined };
    /** List the programs to which a user has given access */
    [route: `GET /auth/users/${string}/applications`]: { body: undefined; answer: Applications };
    /** List the users who have given a program access */
    [route: `GET /auth/clients/${string}/users`]: { body: undefined; answer: ClientUsers };
    /** List the users who have given a program access */
    [route: `GET /auth/clients/${string}/users?${string}`]: { body: undefined; answer: ClientUsers };
    /** Get the authorization server's metadata */
    "GET /.well-known/oauth-authorization-server": { body: undefined; answer: ProviderMetadata };
    /** List ended sessions, users and clients */
    "GET /oauth/revocations": { body: undefined; answer: undefined };
    /** List ended sessions, users and clients */
    [route: `GET /oauth/revocations?${string}`]: { body: undefined; answer: undefined };
}

/** The codes of the server's errors. */
export type ServerErrorCode =
    | "ACCESS_DENIED"
    | "ACCOUNT_DISABLED"
    | "ACCOUNT_NOT_FOUND"
    | "ADMIN_LOGIN_REQUIRED"
    | "APPLICATION_NOT_FOUND"
    | "AUTHORIZATION_PENDING"
    | "AUTH_FAILED"
    | "CLIENT_IS_CONFIGURED"
    | "CLIENT_NOT_FOUND"
    | "CONSENT_REQUIRED"
    | "DEVICE_NOT_FOUND"
    | "DPOP_PROOF_REQUIRED"
    | "EMAIL_ALREADY_VERIFIED"
    | "EMAIL_NOT_VERIFIED"
    | "EMAIL_REQUIRED"
    | "EMAIL_TAKEN"
    | "EXPIRED_TOKEN"
    | "FORBIDDEN"
    | "FOREIGN_FORM"
    | "GUEST_ACCOUNT"
    | "HOOK_UNAVAILABLE"
    | "HTTPS_REQUIRED"
    | "IDENTITY_TAKEN"
    | "INSUFFICIENT_SCOPE"
    | "INTERACTION_REQUIRED"
    | "INTERNAL_ERROR"
    | "INVALID_CEREMONY"
    | "INVALID_CLIENT"
    | "INVALID_CLIENT_METADATA"
    | "INVALID_CODE"
    | "INVALID_CREDENTIAL"
    | "INVALID_CREDENTIALS"
    | "INVALID_DPOP_PROOF"
    | "INVALID_DURATION"
    | "INVALID_GRANT"
    | "INVALID_LINK"
    | "INVALID_MERGE"
    | "INVALID_NOTIFICATION"
    | "INVALID_PASSWORD"
    | "INVALID_PREFIX"
    | "INVALID_PROVIDER"
    | "INVALID_REDIRECT_URI"
    | "INVALID_REFRESH_TOKEN"
    | "INVALID_REQUEST"
    | "INVALID_SCOPE"
    | "INVALID_SIGN_IN_CODE"
    | "INVALID_TARGET"
    | "INVALID_TICKET"
    | "INVALID_TOKEN"
    | "LAST_METHOD"
    | "LOGIN_REQUIRED"
    | "METHOD_ALREADY_ADDED"
    | "METHOD_NOT_ALLOWED"
    | "METHOD_NOT_FOUND"
    | "MISSING_REFRESH_TOKEN"
    | "MISSING_TOKEN"
    | "NONCE_MISMATCH"
    | "NOT_CONFIGURED"
    | "NOT_ENROLLED"
    | "NOT_FOUND"
    | "NOT_THIS_DEVICE"
    | "NO_EMAIL"
    | "NO_PASSWORD"
    | "NO_SECOND_FACTOR"
    | "OWN_ACCOUNT"
    | "PASSKEY_ALREADY_ADDED"
    | "PASSKEY_NOT_FOUND"
    | "PASSKEY_REFUSED"
    | "PREFIX_TOO_LONG"
    | "RATE_LIMITED"
    | "RECENT_SIGN_IN_REQUIRED"
    | "RECOVERY_CODE_REQUIRED"
    | "REGISTRATION_NOT_SUPPORTED"
    | "REQUEST_NOT_SUPPORTED"
    | "REQUEST_TOO_LARGE"
    | "REQUEST_URI_NOT_SUPPORTED"
    | "SECOND_FACTOR_ENABLED"
    | "SECOND_FACTOR_NEEDED"
    | "SECOND_FACTOR_REQUIRED"
    | "SERVICE_UNAVAILABLE"
    | "SESSION_NOT_FOUND"
    | "SIGN_IN_REFUSED"
    | "SIGN_UP_CLOSED"
    | "SIGN_UP_REFUSED"
    | "SLOW_DOWN"
    | "STEP_UP_REQUIRED"
    | "STORAGE_SERVICE_ERROR"
    | "TOKEN_EXPIRED"
    | "TOO_MANY_FIELDS"
    | "TOO_MANY_PASSKEYS"
    | "UNAUTHORIZED"
    | "UNAUTHORIZED_CLIENT"
    | "UNMET_AUTHENTICATION_REQUIREMENTS"
    | "UNSUPPORTED_GRANT_TYPE"
    | "UNSUPPORTED_MEDIA_TYPE"
    | "UNSUPPORTED_RESPONSE_TYPE"
    | "USER_NOT_FOUND"
    | "USE_DPOP_NONCE"
    | "WRONG_CODE"
    | "WRONG_PASSWORD";
