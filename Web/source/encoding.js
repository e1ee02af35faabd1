export const base64url = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
export const decoded = (text) => atob(text.replace(/-/g, "+").replace(/_/g, "/"));
export const fromBase64url = (text) => Uint8Array.from(
    decoded(text), (sign) => sign.charCodeAt(0));
export const utf8 = (text) => new TextEncoder().encode(text);
export const sha256 = async (text) =>
    base64url(await crypto.subtle.digest("SHA-256", utf8(text)));
export const randomText = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
