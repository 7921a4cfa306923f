// Saves of the catalogue, with their undo.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, api, messageOf, send } from '../../../console/web/app/client.ts'
import { dismissToasts, type Toast, toast } from '../../../console/web/app/toasts.tsx'
import { type Action, AUDIT_LOG, useAction } from '../../../console/web/parts/action.ts'
import type { CatalogueFile } from './values.ts'

export const FILE_KEY = ['catalogue', 'file']
const CATALOGUE = 'catalogue'
const CHANGES = [CATALOGUE, 'models', 'providers', 'price-groups', 'start']
/** Subjects of queries that depend on settings. */
export const CATALOGUE_QUERIES = [
  ...CHANGES,
  'accounts',
  'account',
  'keys',
  'key',
  'system',
  'alerts',
  'mails',
  'backups',
]

function refreshQueries(queries: QueryClient): void {
  for (const subject of [...CATALOGUE_QUERIES, AUDIT_LOG])
    void queries.invalidateQueries({ queryKey: [subject] })
}

export interface SaveRequest {
  text: string
  base: CatalogueFile
}

type Saved = AnswerOf<typeof api.catalogue.save.post>

export function useSaveCatalogue(onSaved?: (file: CatalogueFile) => void): Action<SaveRequest, Saved> {
  const queries = useQueryClient()
  return useAction({
    async work({ text, base }: SaveRequest) {
      const saved = await send(api.catalogue.save.post({ text, hash: base.hash }))
      const file = await send(api.catalogue.get())
      queries.setQueryData(FILE_KEY, file)
      onSaved?.(file)
      return saved
    },
    changes: CHANGES,
    done: ({ base }, { hash, waiting_for_restart }) => ({
      text: savedText(waiting_for_restart),
      ...undoing(queries, { base, hash }),
    }),
  })
}

/** A save, with what its undo needs. */
export interface SavedFile {
  base: CatalogueFile
  hash: string
}

/** Returns a function that reports a saved provider or model. Its `onUndone` is as in `undoing`. */
export function useReportAdded() {
  const queries = useQueryClient()
  return (name: string, saved: SavedFile, onUndone?: () => void): void =>
    reportSaved(queries, `${name} added`, saved, onUndone)
}

/** Refreshes the page's data after a save, and reports the save with its undo. @param onUndone as in `undoing` */
export function reportSaved(
  queries: QueryClient,
  text: string,
  saved: SavedFile,
  onUndone?: () => void,
): void {
  refreshQueries(queries)
  toast({ text, subject: CATALOGUE, ...undoing(queries, saved, onUndone) })
}

/** An undo that saves the previous text, unless others have saved since; empty if that has mistakes. @param onUndone runs after it */
function undoing(
  queries: QueryClient,
  { base, hash }: SavedFile,
  onUndone?: () => void,
): Pick<Toast, 'undo'> {
  const { text, mistakes } = base
  if (text === null || mistakes.length > 0) return {}
  return {
    undo() {
      reportUndone(queries, send(api.catalogue.save.post({ text, hash })), onUndone)
    },
  }
}

/** @param undoing the save of the previous values @param onUndone as in `undoing` */
export function reportUndone(queries: QueryClient, undoing: Promise<unknown>, onUndone?: () => void): void {
  dismissToasts(CATALOGUE)
  undoing
    .then(() => {
      toast({ text: 'Change undone', subject: CATALOGUE })
      onUndone?.()
    })
    .catch((failure: unknown) =>
      toast({ tone: 'bad', text: `Not undone. ${messageOf(failure)}`, subject: CATALOGUE }),
    )
    .finally(() => refreshQueries(queries))
}

const savedText = (waiting: readonly string[]): string =>
  waiting.length === 0 ? 'Changes saved' : `Changes saved. Restart to apply: ${waiting.join(', ')}`
