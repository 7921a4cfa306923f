// The saving of a catalogue, and taking it back.
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, api, messageOf, send } from '../../../console/web/app/client.ts'
import { dismissToasts, type Toast, toast } from '../../../console/web/app/toasts.tsx'
import { type Action, AUDIT_LOG, useAction } from '../../../console/web/parts/action.ts'
import type { CatalogueFile } from './values.ts'

export const FILE_KEY = ['catalogue', 'file']
const CATALOGUE = 'catalogue'
const CHANGES = [CATALOGUE, 'models', 'providers', 'price-groups', 'start']
/** What shows settings, too. */
export const WITH_CATALOGUE = [
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

/** Queries to repeat after each save: all that show the catalogue. */
function askAgain(queries: QueryClient): void {
  for (const subject of [...WITH_CATALOGUE, AUDIT_LOG])
    void queries.invalidateQueries({ queryKey: [subject] })
}

export interface Saving {
  /** The reviewed text. */
  text: string
  /** The file that it is made from. */
  base: CatalogueFile
}

type Saved = AnswerOf<typeof api.catalogue.save.post>

/** @param onSaved gets the saved file */
export function useSaveCatalogue(onSaved?: (file: CatalogueFile) => void): Action<Saving, Saved> {
  const queries = useQueryClient()
  return useAction({
    async work({ text, base }: Saving) {
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

/** A save, as far as taking it back needs to know it. */
export interface SavedFile {
  /** The file before. */
  base: CatalogueFile
  /** Of the file as it was saved. */
  hash: string
}

/** Reports a provider or a model that a form of its own has saved. @returns a function; its `onUndone` as in `undoing` */
export function useAdded() {
  const queries = useQueryClient()
  return (name: string, saved: SavedFile, onUndone?: () => void): void =>
    reportSaved(queries, `${name} added`, saved, onUndone)
}

/** Reads again what a save changed, and reports it, with its undo. @param onUndone as in `undoing` */
export function reportSaved(
  queries: QueryClient,
  text: string,
  saved: SavedFile,
  onUndone?: () => void,
): void {
  askAgain(queries)
  toast({ text, subject: CATALOGUE, ...undoing(queries, saved, onUndone) })
}

/** Saves what was there before, unless somebody has saved since. Nothing if that cannot be saved. @param onUndone runs once it is undone */
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

/** @param undoing the save of what was there before @param onUndone as in `undoing` */
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
    .finally(() => askAgain(queries))
}

const savedText = (waiting: readonly string[]): string =>
  waiting.length === 0 ? 'Changes saved' : `Changes saved. Restart to apply: ${waiting.join(', ')}`
