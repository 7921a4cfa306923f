// The public key of releases, of which the build of a signed release puts its own in the place of this file.

/** In minisign's base64, as `minisign -P` takes it; undefined in a build that was not signed. */
export const RELEASE_PUBLIC_KEY: string | undefined = undefined
