// Calls of the control API, and the equivalent commands.

const root = "/_emulator/";

async function ask(method, path, body) {
    let response;
    try {
        response = await fetch(root + path, {
            method, cache: "no-store",
            headers: method === "GET" ? {Accept: "application/json"}
                : {"Content-Type": "application/json"},
            body: body === undefined ? undefined : JSON.stringify(body),
        });
    } catch {
        throw new Error("The emulator does not answer. Is it running?");
    }
    const text = await response.text();
    let answer;
    try {
        answer = text ? JSON.parse(text) : {};
    } catch {
        answer = {message: text};
    }
    if (!response.ok) throw new Error(answer.message ?? `The emulator answers ${response.status}.`);
    return answer;
}

export const get = (path) => ask("GET", path);
export const post = (path, body = {}) => ask("POST", path, body);
export const replace = (path, body = {}) => ask("PUT", path, body);
export const remove = (path) => ask("DELETE", path);
export const part = encodeURIComponent;

/** A file's content, for a preview. */
export async function content(path) {
    const response = await fetch(root + path, {cache: "no-store"});
    if (!response.ok) throw new Error((await response.json()).message);
    return response.blob();
}
