// Talking to the site over HTTP: fragments in, forms out. Errors carry the fields that were refused.

const HEADERS = { "X-Requested-With": "goalsite" };

export class Refused extends Error {
  constructor(message, errors) {
    super(message);
    this.errors = errors;
  }
}

export async function fragment(url) {
  const response = await fetch(url, { headers: HEADERS, credentials: "same-origin" });
  if (response.status === 401) location.reload();
  if (!response.ok) throw await refusal(response);
  return response.text();
}

export async function post(url, data, csrf) {
  let response;
  try {
    const headers = { ...HEADERS, "X-CSRFToken": csrf };
    response = await fetch(url, { method: "POST", headers, body: data, credentials: "same-origin" });
  } catch {
    throw new Refused("The site cannot be reached. Nothing was sent; try again in a moment.", {});
  }
  if (response.status === 401) location.reload();
  if (!response.ok) throw await refusal(response);
  return response.json();
}

async function refusal(response) {
  const told = await response.json().catch(() => ({}));
  const lines = Object.values(told.errors ?? {});
  return new Refused(lines.join(" ") || told.message || `The site answered ${response.status}.`, told.errors ?? {});
}
