// The public key of releases. The build of a signed release replaces this file with the signing key's.

/** The key in minisign's base64, as for `minisign -P`; undefined in an unsigned build. */
export const RELEASE_PUBLIC_KEY: string | undefined = undefined
