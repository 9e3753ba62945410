// Sends one file, and tells how far it has come.

import { Refused, token } from "./send.js";
import { askToSignIn } from "./signedout.js";

export function upload(url, file, csrf, onProgress) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve, reject) => {
    const told = () => {
      try {
        return JSON.parse(request.responseText);
      } catch {
        return {};
      }
    };
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onerror = () => reject(new Refused("The site cannot be reached.", {}));
    request.onabort = () => reject(new Refused("Not sent.", {}));
    request.onload = () => {
      if (request.status === 201) return resolve(told());
      if (request.status === 401) askToSignIn();
      const { errors = {}, message } = told();
      const lines = Object.values(errors);
      reject(new Refused(lines.length ? `It ${lines.join(" ")}.` : message || `The site answered ${request.status}.`, errors));
    };
  });
  const data = new FormData();
  data.append("file", file);
  request.open("POST", url);
  request.setRequestHeader("X-Requested-With", "goalsite");
  request.setRequestHeader("X-CSRFToken", token() ?? csrf);
  request.send(data);
  return { done, abort: () => request.abort() };
}
