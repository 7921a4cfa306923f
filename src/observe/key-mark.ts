// The mark of a provider's key: distinguishes keys without revealing them.

/** Eight letters, digits, `-` and `_`. */
export const markOf = (api_key: string): string =>
  new Bun.CryptoHasher('sha256').update(`mark of ${api_key}`).digest('base64url').slice(0, 8)
