// Names and keys of uploaded files: safe to store, to show and to put into a URL. Pure.

const MAX_CHARS = 64
const DEFAULT_NAME = 'image'
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const WHOLE_UUID = new RegExp(`^${UUID}$`, 'i')
const KEY = new RegExp(`^files/([1-9][0-9]{0,15})/${UUID}_[A-Za-z0-9_-]{1,64}\\.(?:png|jpeg|gif|webp)$`)

/** Whether a text may name an image that was generated. */
export const isUuid = (text: string): boolean => WHOLE_UUID.test(text)

/** The safe form of a caller's file name, without folders and extension: at most 64 letters, digits, `_` and `-`. */
export function safeName(filename: string): string {
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

/** The id of the account that a key names; undefined for a text that is no key. */
export function ownerOfKey(key: string): number | undefined {
  const owner = KEY.exec(key)?.[1]
  return owner === undefined ? undefined : Number(owner)
}

/** The key of a file in its store, whose folder stands for the first segment. */
export const storeKeyOf = (key: string): string => key.slice('files/'.length)

const OF_ACCOUNT = /^[1-9][0-9]*\/[^/]+$/

/** Whether a key in a store of images may be one of an image: below its account, and no deeper. Another gateway's prefix may be below the store's. */
export const isImageKey = (key: string): boolean => OF_ACCOUNT.test(key)
