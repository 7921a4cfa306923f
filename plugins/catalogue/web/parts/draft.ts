// A draft of the catalogue: the changed text of the file. The server checks it during typing; it survives leaving the page.
import { useCallback, useEffect, useState } from 'react'
import { readFromTab, removeFromTab, writeToTab } from '../../../console/web/app/browser-storage.ts'
import { api } from '../../../console/web/app/client.ts'
import { useLeaveGuard } from '../../../console/web/app/leave-dialog.tsx'
import { useApi } from '../../../console/web/app/query.ts'
import type { Action } from '../../../console/web/parts/action.ts'
import { useIsTyping } from '../../../console/web/parts/committed-input.tsx'
import { useChecks } from './checks.ts'
import { FILE_KEY, type SaveRequest, useSaveCatalogue } from './saving.ts'
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
  /** Hash of the file that it changes. */
  hash: string
  /** Address of the page that made it. */
  made_at: string
}

const NAME = 'catalogue-draft'
let in_memory: KeptDraft | null = null

/** The unsaved draft of a page that was left; null without one. */
export const keptDraft = (): KeptDraft | null => in_memory ?? readKept(readFromTab(NAME))

/** @param safe_text the text without keys; undefined if not known yet: after a reload the last known one is used */
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

const CHECK_AFTER_MS = 350

export interface Draft {
  file: CatalogueFile
  text: string
  values: Block | null
  mistakes: readonly Mistake[]
  warnings: readonly Mistake[]
  /** Changes to the catalogue in force; null without changes, and while there are mistakes. */
  changes: Checked['changes']
  is_changed: boolean
  /** Whether a field has unfinished input, or an edit is running: there may be more to save. */
  is_changing: boolean
  is_checking: boolean
  failure: string | null
  type: (text: string) => void
  /** Edits the text after the edits that are running. @returns whether the edits succeeded */
  edit: (edits: readonly Edit[]) => Promise<boolean>
  /** Sets one value. @param value undefined removes it from the file */
  put: (path: Path, value: Value | undefined) => void
  /** Waits for running edits. @returns the resulting text; null if one failed */
  settled: () => Promise<string | null>
  discard: () => void
  save: Action<SaveRequest, unknown>
  mistakeAt: (path: Path) => string | null
}

/** Reads the file. Waits for the settings too: when they arrive, forms change their fields, also ones that are being typed into. */
export function useFile() {
  const file = useApi(FILE_KEY, () => api.catalogue.get())
  return useSettings().isPending ? { ...file, data: undefined } : file
}

/** @param read the current file: an unchanged draft follows it, a changed one keeps its own version */
export function useDraft(read: CatalogueFile): Draft {
  const [kept] = useState(keptDraft)
  const [base, setBase] = useState(kept ? { ...read, hash: kept.hash } : read)
  const checks = useChecks(read, kept?.text ?? null)
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
  useLeaveGuard(is_changed || is_typing, true)
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
