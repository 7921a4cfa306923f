// A notice: a piece of others' work that the executable carries, and the terms under which it does.

export interface Notice {
  name: string
  /** Null if it is part of something whose version tells. */
  version: string | null
  /** As its makers say: an SPDX expression, or their words. */
  license: string
  /** The makers' own text; null if none came with it. */
  text: string | null
  /** Why there is no text of its own; where its terms or its source are. */
  remark: string | null
}

export interface Notices {
  notices: readonly Notice[]
  /** Texts of licences that are named above without one, by their names. */
  texts: Readonly<Record<string, string>>
}

export const byName = (one: Notice, other: Notice): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0
