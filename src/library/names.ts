// Names and keys of uploads, safe for storage, display and URLs. Pure.

const MAX_CHARS = 64
const DEFAULT_NAME = 'image'
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const WHOLE_UUID = new RegExp(`^${UUID}$`, 'i')
const KEY = new RegExp(`^files/([1-9][0-9]{0,15})/${UUID}_[A-Za-z0-9_-]{1,64}\\.(?:png|jpeg|gif|webp)$`)

/** Whether a text may be the ID of a generated image. */
export const isUuid = (text: string): boolean => WHOLE_UUID.test(text)

/** Converts a caller's file name into a safe one, without folders and extension: at most 64 letters, digits, `_` and `-`. */
export function safeFileName(filename: string): string {
  const base = filename.slice(Math.max(filename.lastIndexOf('/'), filename.lastIndexOf('\\')) + 1)
  const stem = base
    .replace(/(.)\.[^.]*$/, '$1')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^[-_]+|[-_]+$/g, '')
  return stem || DEFAULT_NAME
}

/** spec.md, Image edit request: `files/<user_id>/<uuid>_<name>.<ext>`. @param name safe, with its extension */
export const fileKeyOf = (account_id: number, uuid: string, name: string): string =>
  `files/${account_id}/${uuid}_${name}`

/** Returns the account ID in a key; undefined if the text is no key. */
export function ownerOfKey(key: string): number | undefined {
  const owner = KEY.exec(key)?.[1]
  return owner === undefined ? undefined : Number(owner)
}

/** Returns the key of an upload in its store, which has no first segment. */
export const storeKeyOf = (key: string): string => key.slice('files/'.length)

const OF_ACCOUNT = /^[1-9][0-9]*\/[^/]+$/

/** Whether a key in a store may be an image's: directly below its account. Deeper keys may belong to a gateway with a longer prefix. */
export const isImageKey = (key: string): boolean => OF_ACCOUNT.test(key)
