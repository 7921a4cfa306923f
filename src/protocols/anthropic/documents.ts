// Documents in messages requests: an estimate of the tokens that they have.

/**
 * A page of a document is read as 1,500 to 3,000 tokens (platform.claude.com, "PDF support"); a page is taken as 50 kB.
 */
const DOCUMENT_BYTES_PER_TOKEN = 20
/** The gateway does not see a document that is given by address: it counts as a dozen pages. */
export const UNSEEN_DOCUMENT_TOKENS = 32_768

/** @param data base64 */
export const documentDataTokens = (data: string): number =>
  Math.ceil((data.length * 3) / 4 / DOCUMENT_BYTES_PER_TOKEN)
