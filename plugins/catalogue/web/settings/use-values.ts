// The state of a form over catalogue values. It saves what differs from the file, with the values that it read.
import { useQueryClient } from '@tanstack/react-query'
import { ApiError, api, send } from '../../../console/web/app/client.ts'
import { useAction } from '../../../console/web/parts/action.ts'
import { type Changes, useChanges } from '../../../console/web/parts/changes.tsx'
import { shellQuote } from '../../../console/web/parts/code-samples/samples.ts'
import type { Labels } from '../parts/labels.ts'
import { CATALOGUE_QUERIES, FILE_KEY, reportUndone } from '../parts/saving.ts'
import { labelOf, type SectionField, textOf, valueFrom } from '../parts/setting-text.ts'
import {
  type Block,
  blockAt,
  type CatalogueFile,
  type Path,
  textAt,
  valueIn,
  writtenPath,
} from '../parts/values.ts'

export interface ValuesOptions {
  at: Path
  fields: readonly SectionField[]
  file: CatalogueFile
  labels: Labels
  /** On the button, in a dialog. */
  verb?: string
  onSaved?: (file: CatalogueFile) => void
}

/** Texts of fields by written path: `server.log_level`. */
type Texts = Record<string, string>

export interface Values extends Changes<Texts> {
  pathOf: (field: SectionField) => string
  command: string
  labels: Record<string, string>
}

const MOVED = 'Not saved: somebody else changed this list. Close the form and open it again.'

interface ChangedValues {
  values: { path: Path; value?: unknown; was?: unknown }[]
}

export function useValues({ at, fields, file, labels, onSaved }: ValuesOptions): Values {
  const save = useSaveValues(at, onSaved)
  const pathOf = ({ path }: SectionField): string => writtenPath([...at, ...path])
  const byPath = new Map(fields.map((field) => [pathOf(field), field]))
  const blockOf = ({ values }: CatalogueFile): Block => blockAt((values ?? {}) as Block, ...at)
  // In a list, a block is known by its name: its index may be another's meanwhile.
  const name_path = typeof at.at(-1) === 'number' ? writtenPath([...at, 'name']) : undefined
  const draftOf = (from: CatalogueFile): Texts =>
    Object.fromEntries(fields.map((field) => [pathOf(field), textOf(field, blockOf(from))]))
  const changes = useChanges({
    source: file,
    draftOf,
    reread: () => send(api.catalogue.get()),
    save: (names, draft, read) =>
      save({
        values: [...byPath].flatMap(([path, field]) => {
          const is_sent = names.includes(path) || path === name_path
          if (!is_sent) return []
          const value = valueFrom(field, (draft[path] ?? '').trim())
          return { path: [...at, ...field.path], value, was: valueIn(blockOf(read), ...field.path) }
        }),
      }).catch((thrown: unknown) => {
        const is_moved =
          thrown instanceof ApiError && thrown.code === 'changed_meanwhile' && thrown.param === name_path
        throw is_moved ? new Error(MOVED) : thrown
      }),
  })
  // The command names a block of a list, and adds one by its name.
  const present_name = textAt(blockOf(file), 'name')
  const block_name = name_path === undefined ? '' : present_name || changes.draft[name_path]
  const named_at = block_name ? [...at.slice(0, -1), block_name] : at
  const settings = fields.flatMap((field) => {
    const path = pathOf(field)
    if (!changes.names.includes(path) || (path === name_path && present_name === '')) return []
    const text = (changes.draft[path] ?? '').trim()
    const value = field.is_secret && text !== '' ? 'env:NAME' : text
    return shellQuote(`${writtenPath([...named_at, ...field.path])}=${value}`)
  })
  return {
    ...changes,
    pathOf,
    command: `tollgate config set ${settings.join(' ')}`,
    labels: Object.fromEntries(
      fields.map((field) => [pathOf(field), labels[field.path.join('.')]?.label ?? labelOf(field.path)]),
    ),
  }
}

function useSaveValues(at: Path, onSaved?: (file: CatalogueFile) => void) {
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
        const is_added = typeof at.at(-1) === 'number' && values.every(({ was }) => was === undefined)
        if (is_added) {
          const edits = [{ op: 'remove' as const, path: [...at] }]
          return reportUndone(queries, send(api.catalogue.save.post({ edits, hash: file.hash })))
        }
        const back = values.map(({ path, was }) => ({ path, value: was, was: valueIn(saved, ...path) }))
        reportUndone(queries, send(api.catalogue.values.post({ values: back } as Body)))
      },
    }),
  })
  return runOrThrow
}

type Body = Parameters<typeof api.catalogue.values.post>[0]
