/**
 * Whether the field is set by who sends a message, from what is sent and how, and taken from nobody else: its framing (RFC 9112
 * §6), its date, and what is about the connection. Trailer too: no trailer section is ever sent.
 */
export function isSenderField(name: string): boolean {
  // Each field of a response passes here. The length decides for most, so no name but these is put in lower case.
  switch (name.length) {
    case 4:
    case 7:
    case 10:
    case 14:
    case 17:
      return senderFields.has(name.toLowerCase());
    default:
      return false;
  }
}

// The switch above knows the lengths of these names.
const senderFields = new Set(["date", "trailer", "connection", "keep-alive", "content-length", "transfer-encoding"]);
