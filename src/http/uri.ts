// Percent-encoding in paths.

/** The text that a part of a path stands for; the part as it stands if it is not a valid encoding (RFC 3986, 2.1). */
export function decodePathPart(encoded: string): string {
  if (!encoded.includes('%')) return encoded
  try {
    return decodeURIComponent(encoded)
  } catch {
    // Left encoded it names nothing that is here, so the caller is told that it was not found.
    return encoded
  }
}
