// The draft of the catalogue that outlives its page: in memory as it was typed, and in the tab's storage, for a reload, without the keys that were typed.
import { dropFromTab, keepInTab, keptInTab } from '../../../console/web/app/kept.ts'

interface KeptDraft {
  text: string
  /** Of the file that it is a draft of. */
  hash: string
  /** The page where it was made: its address. */
  made_at: string
}

const NAME = 'catalogue-draft'
let in_memory: KeptDraft | null = null

/** The draft that was left; null if none was. */
export const keptDraft = (): KeptDraft | null => in_memory ?? readKept(keptInTab(NAME))

/** @param safe_text the same without keys; undefined if it is not known yet: after a reload the last one is there */
export function keepDraft(draft: KeptDraft, safe_text: string | undefined): void {
  in_memory = draft
  if (safe_text !== undefined) keepInTab(NAME, JSON.stringify({ ...draft, text: safe_text }))
}

export function dropDraft(): void {
  in_memory = null
  dropFromTab(NAME)
}

function readKept(text: string | null): KeptDraft | null {
  if (text === null) return null
  try {
    const draft: unknown = JSON.parse(text)
    return isDraft(draft) ? draft : null
  } catch {
    // Another program's text under this name is not a draft.
    return null
  }
}

const isDraft = (value: unknown): value is KeptDraft =>
  typeof value === 'object' &&
  value !== null &&
  ['text', 'hash', 'made_at'].every((field) => typeof Reflect.get(value, field) === 'string')
