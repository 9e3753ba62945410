// Asks a person to sign in again: in the page's dialog, or on the sign-in page where there is none. Called when a person
// does something, never by itself: what is being typed would go into the dialog.

const dialog = document.getElementById("signin");

export function askToSignIn() {
  if (!dialog) return location.assign(`/login/?next=${encodeURIComponent(location.pathname + location.search)}`);
  if (!dialog.open) dialog.showModal();
}
