// The state of a form over catalogue values. It saves what differs from the file, with the values that it read.
import { useQueryClient } from '@tanstack/react-query'
import { api, send } from '../../../console/web/app/client.ts'
import { useAction } from '../../../console/web/parts/action.ts'
import { type Changes, useChanges } from '../../../console/web/parts/changes.tsx'
import { shellQuote } from '../../../console/web/parts/code-samples/samples.ts'
import type { Labels } from '../parts/labels.ts'
import { CATALOGUE_QUERIES, FILE_KEY, reportUndone } from '../parts/saving.ts'
import { labelOf, type SectionField, textOf, valueFrom } from '../parts/setting-text.ts'
import { type Block, blockAt, type CatalogueFile, type Path, valueIn, writtenPath } from '../parts/values.ts'

export interface ValuesOptions {
  /** Path of the section or table in the file. */
  at: Path
  fields: readonly SectionField[]
  file: CatalogueFile
  labels: Labels
  /** Called with the saved file. */
  onSaved?: (file: CatalogueFile) => void
}

/** Texts of fields by written path: `server.log_level`. */
type Texts = Record<string, string>

export interface Values extends Changes<Texts> {
  pathOf: (field: SectionField) => string
  /** The command that makes the same change. */
  command: string
  labels: Record<string, string>
}

interface ChangedValues {
  values: { path: Path; value?: unknown; was?: unknown }[]
}

export function useValues({ at, fields, file, labels, onSaved }: ValuesOptions): Values {
  const save = useSaveValues(onSaved)
  const pathOf = ({ path }: SectionField): string => writtenPath([...at, ...path])
  const byPath = new Map(fields.map((field) => [pathOf(field), field]))
  const blockOf = ({ values }: CatalogueFile): Block => blockAt((values ?? {}) as Block, ...at)
  const draftOf = (from: CatalogueFile): Texts =>
    Object.fromEntries(fields.map((field) => [pathOf(field), textOf(field, blockOf(from))]))
  const changes = useChanges({
    source: file,
    draftOf,
    reread: () => send(api.catalogue.get()),
    save: (names, draft, read) =>
      save({
        values: names.flatMap((name) => {
          const field = byPath.get(name)
          if (!field) return []
          const value = valueFrom(field, (draft[name] ?? '').trim())
          return { path: [...at, ...field.path], value, was: valueIn(blockOf(read), ...field.path) }
        }),
      }),
  })
  const settings = changes.names.map((name) => {
    const typed = byPath.get(name)?.is_secret === true ? 'env:NAME' : (changes.draft[name] ?? '').trim()
    return shellQuote(`${name}=${changes.draft[name] === '' ? '' : typed}`)
  })
  const [name] = changes.names.filter((path) => path.endsWith('].name'))
  return {
    ...changes,
    pathOf,
    // The command names a block of a list, in place of its index.
    command: `tollgate config set ${settings.join(' ').replace(/\[(\d+)\](?=\.)/g, (_, index) => `.${changes.draft[name ?? ''] || index}`)}`,
    labels: Object.fromEntries(
      fields.map((field) => [pathOf(field), labels[field.path.join('.')]?.label ?? labelOf(field.path)]),
    ),
  }
}

/** Saves values, with an undo in the toast. */
function useSaveValues(onSaved?: (file: CatalogueFile) => void) {
  const queries = useQueryClient()
  const { runOrThrow } = useAction({
    async work(body: ChangedValues) {
      const saved = await send(api.catalogue.values.post(body as Body))
      const file = await send(api.catalogue.get())
      queries.setQueryData(FILE_KEY, file)
      onSaved?.(file)
      return { ...saved, file }
    },
    changes: CATALOGUE_QUERIES,
    done: ({ values }, { waiting_for_restart, file }) => ({
      text:
        waiting_for_restart.length === 0
          ? 'Settings saved'
          : `Settings saved. Restart to apply: ${waiting_for_restart.join(', ')}`,
      undo() {
        // For a secret, the file has a mark in place of the value.
        const saved = (file.values ?? {}) as Block
        const back = values.map(({ path, was }) => ({ path, value: was, was: valueIn(saved, ...path) }))
        reportUndone(queries, send(api.catalogue.values.post({ values: back } as Body)))
      },
    }),
  })
  return runOrThrow
}

type Body = Parameters<typeof api.catalogue.values.post>[0]
