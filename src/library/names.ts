// Owns what an uploaded file is called: safe to store, to show and to put into an address. Pure.

const MAX_CHARS = 64
const NAMELESS = 'image'
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const KEY = new RegExp(`^files/([1-9][0-9]{0,15})/${UUID}_[A-Za-z0-9_-]{1,64}\\.(?:png|jpeg|gif|webp)$`)

/** The safe form of a name that a caller gave, without folders and extension: letters, digits, `_` and `-`, at most 64. */
export function safeName(filename: string): string {
  const [base = ''] = /[^/\\]*$/.exec(filename) ?? []
  const stem = base
    .replace(/(.)\.[^.]*$/, '$1')
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^[-_]+|[-_]+$/g, '')
  return stem || NAMELESS
}

/** spec.md, Image edit request: `files/<user_id>/<uuid>_<name>.<ext>`. @param name safe, with its extension */
export const fileKeyOf = (account_id: number, uuid: string, name: string): string =>
  `files/${account_id}/${uuid}_${name}`

/** The id of the account that a key names; undefined for what is no key. */
export function ownerOfKey(key: string): number | undefined {
  const owner = KEY.exec(key)?.[1]
  return owner === undefined ? undefined : Number(owner)
}

/** Where a file is in its store, whose folder stands for the key's first segment. */
export const storeKeyOf = (key: string): string => key.slice('files/'.length)
