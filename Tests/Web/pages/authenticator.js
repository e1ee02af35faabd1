// An authenticator in the page, for a browser without WebAuthn: passkeys of P-256 keys, without
// attestation, that verify their user. It has neither `toJSON` nor `parse…FromJSON`, as browsers
// before Level 3.

const encode = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const join = (...parts) => new Uint8Array(parts.flatMap((part) => [...new Uint8Array(part)]));
const utf8 = (text) => new TextEncoder().encode(text);
const sha256 = (bytes) => crypto.subtle.digest("SHA-256", bytes);
const uint32 = (number) => [24, 16, 8, 0].map((shift) => number >> shift & 255);
const cborBytes = (bytes) => join([0x58, bytes.byteLength], bytes);
const cborText = (text) => join([0x60 + text.length], utf8(text));
const curve = {name: "ECDSA", namedCurve: "P-256", hash: "SHA-256"};
const passkeys = [];
let count = 0;

const clientData = (type, challenge) => utf8(JSON.stringify(
    {type, challenge: encode(challenge), origin: location.origin, crossOrigin: false}));

/** ASN.1: SEQUENCE of two INTEGERs. */
function der(signature) {
    const integer = (bytes) => {
        const start = bytes.findIndex((byte) => byte !== 0);
        const digits = bytes.slice(start);
        return [2, digits.length + (digits[0] >> 7), ...digits[0] >> 7 ? [0] : [], ...digits];
    };
    const bytes = [...new Uint8Array(signature)];
    const body = [...integer(bytes.slice(0, 32)), ...integer(bytes.slice(32))];
    return new Uint8Array([0x30, body.length, ...body]);
}

async function create({publicKey}) {
    const {challenge, rp, user, excludeCredentials = []} = publicKey;
    if (excludeCredentials.some(({id}) => passkeys.some((key) => key.id === encode(id)))) {
        throw new DOMException("It is here already.", "InvalidStateError");
    }
    const pair = await crypto.subtle.generateKey(curve, false, ["sign"]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const rawId = crypto.getRandomValues(new Uint8Array(32));
    const passkey = {id: encode(rawId), rpId: rp.id, userHandle: user.id, key: pair.privateKey};
    passkeys.push(passkey);
    const cose = join(
        [0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21], cborBytes(point.slice(1, 33)), [0x22],
        cborBytes(point.slice(33)));
    const authData = join(
        await sha256(utf8(rp.id)), [0x45], uint32(++count), new Uint8Array(16), [0, 32], rawId,
        cose);
    return {
        id: passkey.id, rawId, type: "public-key", response: {
            clientDataJSON: clientData("webauthn.create", challenge),
            attestationObject: join(
                [0xa3], cborText("fmt"), cborText("none"), cborText("attStmt"), [0xa0],
                cborText("authData"), cborBytes(authData)),
            getTransports: () => ["internal"],
        },
    };
}

async function get({publicKey: {challenge, rpId, allowCredentials = []}}) {
    const passkey = passkeys.findLast((key) => key.rpId === rpId && (
        !allowCredentials.length || allowCredentials.some(({id}) => encode(id) === key.id)));
    if (!passkey) throw new DOMException("There is none.", "NotAllowedError");
    const clientDataJSON = clientData("webauthn.get", challenge);
    const authenticatorData = join(await sha256(utf8(rpId)), [0x05], uint32(++count));
    const signature = der(await crypto.subtle.sign(
        curve, passkey.key, join(authenticatorData, await sha256(clientDataJSON))));
    const {id, userHandle} = passkey;
    return {id, type: "public-key", response: {
        clientDataJSON, authenticatorData, signature, userHandle}};
}

globalThis.PublicKeyCredential = {isConditionalMediationAvailable: async () => true};
Object.defineProperty(navigator, "credentials", {value: {create, get}});
