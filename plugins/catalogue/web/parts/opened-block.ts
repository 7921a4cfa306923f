// The block of an edit page: its place in the draft's file, and its new name after it is saved under another one.
import { useRef } from 'react'
import type { Draft } from './draft.ts'
import { type Block, blocksOf, textAt } from './values.ts'

const NAMES = { models: 'id', providers: 'name' } as const

interface OpenedBlock {
  /** Index in the list; negative if the file has no block of this name. */
  place: number
  /** The number of blocks when it was last found. */
  count: number
  renamed: string | undefined
  is_deleted: boolean
}

/** Finds the block by name: others may add and delete blocks before it. */
export function useOpenedBlock({ file }: Draft, list: keyof typeof NAMES, name: string): OpenedBlock {
  const names = blocksOf(file.values as Block | null, list).map((block) => textAt(block, NAMES[list]))
  const at = names.indexOf(name)
  const last = useRef({ place: at, count: names.length })
  if (at >= 0) last.current = { place: at, count: names.length }
  const { place, count } = last.current
  const is_missing = place >= 0 && at < 0
  return {
    place,
    count,
    renamed: is_missing && names.length >= count ? names[place] : undefined,
    is_deleted: is_missing && names.length < count,
  }
}
