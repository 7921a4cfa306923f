// The block that an edit page was opened for: its place in the file that the draft is of, and its name once it is saved under another one.
import { useRef } from 'react'
import type { Draft } from './draft.ts'
import { type Block, blocksOf, textAt } from './values.ts'

const NAMES = { models: 'id', providers: 'name' } as const

interface OpenedBlock {
  /** Negative: the file has none of the name. */
  place: number
  /** The blocks of the file that has it. */
  count: number
  /** The name that it was given. */
  renamed: string | undefined
  is_deleted: boolean
}

/** It is found by its name: others may add and delete blocks before it meanwhile. */
export function useOpenedBlock({ file }: Draft, list: keyof typeof NAMES, name: string): OpenedBlock {
  const names = blocksOf(file.values as Block | null, list).map((block) => textAt(block, NAMES[list]))
  const at = names.indexOf(name)
  const last = useRef({ place: at, count: names.length })
  if (at >= 0) last.current = { place: at, count: names.length }
  const { place, count } = last.current
  const is_gone = place >= 0 && at < 0
  return {
    place,
    count,
    renamed: is_gone && names.length >= count ? names[place] : undefined,
    is_deleted: is_gone && names.length < count,
  }
}
