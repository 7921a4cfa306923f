// A new model in a form: its values, its mistakes, and the edits that add it to the file.
import { useState } from 'react'
import { api, send } from '../../../console/web/app/client.ts'
import { type Editing, withEdits } from '../parts/editing.ts'
import { MARKUP } from '../parts/margins.tsx'
import type { SavedFile } from '../parts/saving.ts'
import {
  type Block,
  blockAt,
  blocksOf,
  type CatalogueFile,
  type Edit,
  type Path,
  textAt,
  type Value,
  writtenPath,
} from '../parts/values.ts'
import { type FieldMistake, missingFields } from './missing.ts'

export interface NewModelEditing extends Editing {
  path: Path
  model: Block
  /** Mistakes outside the model's fields. */
  other_mistakes: readonly FieldMistake[]
  /** Returns the effects of adding the model; null if a field is missing or wrong, which `mistakeAt` then reports. */
  review: () => Promise<Reviewed | null>
  /** @throws ApiError */
  save: () => Promise<SavedFile>
}

export type Reviewed = Awaited<ReturnType<typeof previewOf>>
const previewOf = (edits: Edit[]) => send(api.catalogue.previews.post({ edits }))

interface Own {
  model: Block
  /** Undefined: as in the file. */
  markup: string | undefined
}

/** @param first the provider and its name of the model, if known */
export function useNewModel(
  file: CatalogueFile,
  first: { provider: string; model: string },
): NewModelEditing {
  const of_file = (file.values ?? {}) as Block
  const models = blocksOf(of_file, 'models')
  const path: Path = ['models', models.length]
  // All other values are the file's own: a model that is added meanwhile moves the path of this one.
  const [{ model, markup }, setOwn] = useState<Own>({
    model: { id: first.model, kind: 'text', routes: [first], price: {} },
    markup: undefined,
  })
  const [mistakes, setMistakes] = useState<readonly FieldMistake[]>([])
  const valuesWith = (own: Own): Block => ({
    ...of_file,
    ...(own.markup !== undefined && { catalogue: { ...blockAt(of_file, 'catalogue'), markup: own.markup } }),
    models: [...models, own.model],
  })
  const values = valuesWith({ model, markup })

  const edit = async (edits: readonly Edit[]) => {
    setOwn((before) => {
      const after = withEdits(valuesWith(before), edits)
      const typed = textAt(after, ...MARKUP)
      return {
        model: blocksOf(after, 'models').at(-1) ?? {},
        markup: typed === textAt(of_file, ...MARKUP) ? undefined : typed,
      }
    })
    const touched = edits.map((each) => writtenPath(each.path))
    setMistakes((before) =>
      before.filter((mistake) => !touched.some((each) => mistake.path.startsWith(each))),
    )
    return true
  }
  const edits = (): Edit[] => [
    { op: 'add', path: ['models'], value: model as { [key: string]: Value } },
    ...(markup === undefined ? [] : [{ op: 'set' as const, path: MARKUP, value: markup }]),
  ]
  return {
    file,
    values,
    path,
    model,
    edit,
    put: (at, value) =>
      void edit([value === undefined ? { op: 'remove', path: at } : { op: 'set', path: at, value }]),
    mistakeAt: (at) => mistakes.find((mistake) => mistake.path === writtenPath(at))?.message ?? null,
    other_mistakes: mistakes.filter(({ path: at }) => !at.startsWith(writtenPath(path))),
    async review() {
      const missing = missingFields(model, path)
      const found =
        missing.length > 0 ? missing : (await send(api.catalogue.check.post({ edits: edits() }))).mistakes
      setMistakes(found)
      return found.length > 0 ? null : await previewOf(edits())
    },
    async save() {
      const base = await send(api.catalogue.get())
      const { hash } = await send(api.catalogue.save.post({ edits: edits(), hash: base.hash }))
      return { base, hash }
    },
  }
}
