// A draft of the catalogue: the file's text with changes, checked by the server as it is typed, saved against the file's hash, kept if its page is left.
import { useCallback, useEffect, useState } from 'react'
import { readFromTab, removeFromTab, writeToTab } from '../../../console/web/app/browser-storage.ts'
import { api } from '../../../console/web/app/client.ts'
import { useLeaveGuard } from '../../../console/web/app/leave-dialog.tsx'
import { useApi } from '../../../console/web/app/query.ts'
import type { Action } from '../../../console/web/parts/action.ts'
import { useIsTyping } from '../../../console/web/parts/committed-input.tsx'
import { useChecks } from './checks.ts'
import { FILE_KEY, type Saving, useSaveCatalogue } from './saving.ts'
import { useSettings } from './schema-fields.tsx'
import {
  type Block,
  type CatalogueFile,
  type Checked,
  type Edit,
  type Mistake,
  type Path,
  type Value,
  writtenPath,
} from './values.ts'

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
export const keptDraft = (): KeptDraft | null => in_memory ?? readKept(readFromTab(NAME))

/** @param safe_text the same without keys; undefined if it is not known yet: after a reload the last one is there */
export function keepDraft(draft: KeptDraft, safe_text: string | undefined): void {
  in_memory = draft
  if (safe_text !== undefined) writeToTab(NAME, JSON.stringify({ ...draft, text: safe_text }))
}

function dropDraft(): void {
  in_memory = null
  removeFromTab(NAME)
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

/** So long after the last letter a text is checked. */
const CHECK_AFTER_MS = 350

export interface Draft {
  /** The file that it is a draft of. */
  file: CatalogueFile
  /** As it would be saved. */
  text: string
  values: Block | null
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
  /** Against what is in force; null while there are mistakes, or nothing is changed. */
  changes: Checked['changes']
  is_changed: boolean
  /** A text is being typed into a field, or a change is being made: there may be something to save. */
  is_changing: boolean
  /** The last text is not checked yet. */
  is_checking: boolean
  /** Why a change could not be made, or a text not be checked. */
  failure: string | null
  type: (text: string) => void
  /** Makes changes in the text, after those under way. @returns whether they could be made */
  edit: (edits: readonly Edit[]) => Promise<boolean>
  /** The same of one value. @param value undefined takes it out of the file */
  put: (path: Path, value: Value | undefined) => void
  /** Waits for the changes under way. @returns the text that they leave; null if one could not be made */
  settled: () => Promise<string | null>
  discard: () => void
  /** Saves what was reviewed. */
  save: Action<Saving, unknown>
  /** The mistake in a value. */
  mistakeAt: (path: Path) => string | null
}

/** The state of a draft before the first change; not there before its forms know their fields, which would take the place of others typed into. */
export function useFile() {
  const file = useApi(FILE_KEY, () => api.catalogue.get())
  return useSettings().isPending ? { ...file, data: undefined } : file
}

/** @param read the file, as it is now: an untouched draft follows it, a touched one stays with the file as it was */
export function useDraft(read: CatalogueFile): Draft {
  const [left] = useState(keptDraft)
  const [base, setBase] = useState(left ? { ...read, hash: left.hash } : read)
  const checks = useChecks(read, left?.text ?? null)
  const { text, checked, failure, type, check, edit, settled, restart } = checks
  const current = text ?? base.text ?? ''
  const is_changed = text !== null && text !== base.text
  const is_checking = is_changed && checked?.of !== text

  const begin = useCallback(
    (file: CatalogueFile) => {
      restart(file)
      setBase(file)
    },
    [restart],
  )
  useEffect(() => {
    if (!is_changed && read.hash !== base.hash) begin(read)
  }, [read, base, is_changed, begin])
  useEffect(() => {
    if (!is_checking) return
    const timer = setTimeout(() => void check(current), CHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [is_checking, current, check])

  const is_typing = useIsTyping()
  useLeaveGuard(is_changed || is_typing)
  const safe_text = checked?.of === text ? (checked?.answer.safe_text ?? undefined) : undefined
  useEffect(() => {
    if (is_changed) keepDraft({ text: current, hash: base.hash, made_at: location.pathname }, safe_text)
    else dropDraft()
  }, [is_changed, current, base.hash, safe_text])

  const save = useSaveCatalogue(begin)

  const known = is_changed ? checked?.answer : undefined
  const mistakes = known?.mistakes ?? base.mistakes
  return {
    file: base,
    text: current,
    values: (known ? known.values : base.values) as Block | null,
    mistakes,
    warnings: known?.warnings ?? base.warnings,
    changes: known?.changes ?? null,
    is_changed,
    is_changing: is_typing || checks.is_editing,
    is_checking,
    failure,
    type,
    edit,
    put: (path, value) =>
      void edit([value === undefined ? { op: 'remove', path } : { op: 'set', path, value }]),
    settled,
    discard: () => begin(read),
    save,
    mistakeAt: (path) => mistakes.find((mistake) => mistake.path === writtenPath(path))?.message ?? null,
  }
}
