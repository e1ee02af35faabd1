// A back end for the front end: no script of a page sees a token. Node 18 or later, no packages.
import {createHash, randomBytes} from "node:crypto";
import {createServer} from "node:http";

const {AUTH = "https://auth.example.com", APP = "https://app.example.com", PORT = 3000} =
    process.env;
const random = () => randomBytes(32).toString("base64url");
const cookie = (name, value, seconds) =>
    `__Host-${name}=${value}; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
const kept = ({expiresAt, refreshToken, accessToken}) =>
    cookie("session", [expiresAt, refreshToken, accessToken].join("~"), 31_536_000);

async function ask(path, body, token) {
    const answer = await fetch(AUTH + path, {
        method: body ? "POST" : "GET", body: body && JSON.stringify(body), redirect: "error",
        headers: {
            "Content-Type": "application/json", ...token && {Authorization: `Bearer ${token}`}},
        signal: AbortSignal.timeout(10_000)});
    const json = await answer.json();
    if (answer.ok) return json;
    const {code, action} = json.error ?? {};
    throw Object.assign(new Error(code), {status: answer.status, action});
}

// One refresh for all requests of now; for a minute, Latchkey gives the same tokens again.
const flights = new Map();
function refresh(refreshToken) {
    if (!flights.has(refreshToken)) flights.set(refreshToken,
        ask("/auth/refresh", {refreshToken}).finally(() => flights.delete(refreshToken)));
    return flights.get(refreshToken);
}

createServer(async (request, response) => {
    const end = (status, headers, body) =>
        response.writeHead(status, headers).end(JSON.stringify(body));
    const json = {"Content-Type": "application/json"};
    // A person sees the answer of /callback: the app's page has the words.
    const refuse = (status, code) => request.url.startsWith("/callback?")
        ? end(302, {Location: `/?error=${code}`}) : end(status, json, {error: {code}});
    try {
        const {pathname, searchParams: query} = new URL(request.url, APP);
        const find = (name) =>
            request.headers.cookie?.match(`(?:^|; )__Host-${name}=([^;]+)`)?.[1].split("~");
        const [state, codeVerifier] = find("flow") ?? [];
        let [expiresAt, refreshToken, accessToken] = find("session") ?? [];
        // Beside SameSite: what changes something comes from our own pages (CSRF).
        if (request.method !== "GET" && request.headers.origin !== APP) {
            return refuse(403, "FOREIGN_ORIGIN");
        }
        if (pathname === "/signin") {
            const [state, verifier] = [random(), random()];
            const way = new URLSearchParams({
                state, redirect_uri: `${APP}/callback`, code_challenge_method: "S256",
                code_challenge: createHash("sha256").update(verifier).digest("base64url")});
            return end(302, {Location: `${AUTH}/auth/ui/signin?${way}`,
                "Set-Cookie": cookie("flow", `${state}~${verifier}`, 1800)});
        }
        if (pathname === "/callback") {
            if (!state || query.get("state") !== state || query.get("iss") !== AUTH) {
                return refuse(400, "WRONG_STATE");
            }
            const session = await ask("/auth/ui/token", {code: query.get("code"), codeVerifier});
            return end(302, {Location: "/", "Set-Cookie": [kept(session), cookie("flow", "", 0)]});
        }
        if (!refreshToken) return refuse(401, "SIGNED_OUT");
        if (pathname === "/signout" && request.method === "POST") {
            await ask("/auth/signout", {refreshToken, scope: "session"}).catch(console.error);
            return end(204, {"Set-Cookie": cookie("session", "", 0)});
        }
        const renew = async () => {
            const next = await refresh(refreshToken).catch((error) => {
                // Nothing else ends a session.
                if (error.action === "reauthenticate") {
                    response.setHeader("Set-Cookie", cookie("session", "", 0));
                    error.message = "SIGNED_OUT";
                }
                throw error;
            });
            response.setHeader("Set-Cookie", kept(next));
            accessToken = next.accessToken;
        };
        // Latchkey refuses the access token of a session that was ended elsewhere: refresh, once.
        const call = (path, body) => ask(path, body, accessToken).catch(async (error) => {
            if (error.message !== "UNAUTHORIZED") throw error;
            await renew();
            return ask(path, body, accessToken);
        });
        if (expiresAt < Date.now() / 1000 + 60) await renew();
        // Add your own routes here. The access token is read from a cookie and not verified:
        // forward it, as below, or verify it with user.mjs of docs/deploying.md, which returns
        // the user's ID: await user(`Bearer ${accessToken}`)
        if (pathname === "/me") {
            return end(200, {...json, "Cache-Control": "no-store"}, await call("/auth/me"));
        }
        return refuse(404, "NOT_FOUND");
    } catch ({status, message}) {
        console.error(message);
        if (status < 500) refuse(status, message); else refuse(503, "UNAVAILABLE");
    }
}).listen(PORT, "127.0.0.1");
