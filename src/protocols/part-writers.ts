// The table of writers for a conversation's parts: one writer for each kind of part.

import type { Part } from './canonical/parts.ts'
import type { JsonObject } from './wire/json.ts'

type Kind = Part['kind']

type PartOf<K extends Kind> = Part & { readonly kind: K }

/** Each gives the pieces that a part becomes: none where the protocol has no place for it. */
type PartWriters = { readonly [K in Kind]: (part: PartOf<K>) => JsonObject[] }

/** The function that gives each part to its writer. */
export const writeParts =
  (writers: PartWriters): ((part: Part) => JsonObject[]) =>
  (part) =>
    (writers[part.kind] as (part: Part) => JsonObject[])(part)
