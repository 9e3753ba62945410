// What is being written outlives a reload, a crash and a sign-in: kept in this browser, by person and conversation.

export class Unsent {
  constructor(person, conversation) {
    this.key = `goalsite.draft.${person}.${conversation || "new"}`;
  }

  read() {
    try {
      return { text: "", files: [], ...JSON.parse(localStorage.getItem(this.key)) };
    } catch {
      return { text: "", files: [] };
    }
  }

  // Where nothing can be kept (a full store, a private window) the page works without.
  write(text, files) {
    try {
      if (text || files.length) localStorage.setItem(this.key, JSON.stringify({ text, files }));
      else localStorage.removeItem(this.key);
    } catch (error) {
      console.info("the draft is not kept:", error.message);
    }
  }
}
