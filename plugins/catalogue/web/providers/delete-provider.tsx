// The deletion of a provider: which models lose a route, and which are deleted because they have no other route.
import { useQueryClient } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useLocation } from 'wouter'
import { api, send } from '../../../console/web/app/client.ts'
import { ConfirmButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { reportSaved } from '../parts/saving.ts'
import { type Block, blocksOf, type CatalogueFile, type Edit, listAt, textAt } from '../parts/values.ts'

interface DeleteProviderProps {
  name: string
  place: number
  file: CatalogueFile
}

export function DeleteProvider({ name, place, file }: DeleteProviderProps) {
  const [, go] = useLocation()
  const queries = useQueryClient()
  const { models, edits, lost, others } = deletionOf(file.values as Block | null, name, place)
  const remove = async () => {
    const { hash } = await send(api.catalogue.save.post({ edits, hash: file.hash }))
    reportSaved(queries, `${name} deleted`, { base: file, hash })
    go('/providers')
  }
  return (
    <ConfirmButton
      icon={Trash2}
      title={`Delete ${name}?`}
      consequence={
        <div className="stack">
          <p>
            {name} gets no more calls, and its keys are removed from the file.
            {models === 0 && ' No model uses it.'}
          </p>
          {lost.length > 0 && (
            <p>
              Deleted with it, because they have no other route: <b>{lost.join(', ')}</b>. Calls to them are
              refused.
            </p>
          )}
          {others.length > 0 && (
            <p>
              Served by their other routes: <b>{others.join(', ')}</b>.
            </p>
          )}
        </div>
      }
      verb={lost.length === 0 ? 'Delete provider' : 'Delete provider and models'}
      work={remove}
      changes={[]}
    >
      Delete provider
    </ConfirmButton>
  )
}

interface Deletion {
  models: number
  edits: Edit[]
  /** Ids of models without another route. */
  lost: string[]
  /** Ids of models with other routes. */
  others: string[]
}

/** Returns the edits in reverse order of the file: each removal shifts the indices after it. */
function deletionOf(values: Block | null, name: string, place: number): Deletion {
  const using = blocksOf(values, 'models')
    .map((model, at) => {
      const routes = listAt(model, 'routes') as readonly Block[]
      const own = routes.flatMap((route, index) => (textAt(route, 'provider') === name ? [index] : []))
      return { id: textAt(model, 'id'), at, own, is_lost: own.length === routes.length }
    })
    .filter(({ own }) => own.length > 0)
    .reverse()
  const edits = using.flatMap(({ at, own, is_lost }): Edit[] =>
    is_lost
      ? [{ op: 'remove', path: ['models', at] }]
      : own.toReversed().map((index) => ({ op: 'remove', path: ['models', at, 'routes', index] })),
  )
  const idsOf = (lost: boolean) =>
    using.flatMap(({ id, is_lost }) => (is_lost === lost ? [id] : [])).reverse()
  return {
    models: using.length,
    edits: [...edits, { op: 'remove', path: ['providers', place] }],
    lost: idsOf(true),
    others: idsOf(false),
  }
}
