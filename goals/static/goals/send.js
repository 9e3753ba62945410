// Talking to the site over HTTP: fragments in, forms out. Errors carry their status and the fields that were refused.

import { disconnected } from "./connection.js";
import { released } from "./press.js";
import { askToSignIn } from "./signedout.js";

const HEADERS = { "X-Requested-With": "goalsite" };
const PATIENCE = 20_000;
const SIGNED_OUT = "You are signed out. Nothing was sent, and what you wrote is kept; sign in and send it again.";

export class Refused extends Error {
  constructor(message, errors, status) {
    super(message);
    this.errors = errors;
    this.status = status;
  }
}

export async function fragment(url) {
  const signal = AbortSignal.timeout(PATIENCE);
  const response = await fetch(url, { headers: HEADERS, credentials: "same-origin", signal });
  if (response.status === 401) disconnected("out", askToSignIn, "Sign in");
  if (!response.ok) throw await refusal(response);
  const text = await response.text();
  await released();
  return text;
}

export async function read(url) {
  return JSON.parse(await fragment(url));
}

export async function post(url, data, csrf) {
  let response;
  try {
    const headers = { ...HEADERS, "X-CSRFToken": token() ?? csrf };
    response = await fetch(url, { method: "POST", headers, body: data, credentials: "same-origin" });
  } catch {
    throw new Refused("The site cannot be reached. Nothing was sent; try again in a moment.", {}, 0);
  }
  if (response.status === 401) askToSignIn();
  if (!response.ok) throw await refusal(response);
  return response.json();
}

// As the cookie has it now: signing in, here or in another tab, makes a new one.
export function token() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1];
}

async function refusal(response) {
  if (response.status === 401) return new Refused(SIGNED_OUT, {}, 401);
  const told = await response.json().catch(() => ({}));
  const lines = Object.values(told.errors ?? {});
  const message = lines.join(" ") || told.message || `The site answered ${response.status}.`;
  return new Refused(message, told.errors ?? {}, response.status);
}
