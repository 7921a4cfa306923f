// The page for a new provider: who it is, its key, a trial, and its place in the catalogue.
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api, part } from '../../../console/web/app/client.ts'
import { useAsk } from '../../../console/web/app/query.ts'
import { toast } from '../../../console/web/app/toasts.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { AddProvider } from '../new-provider/add-provider.tsx'
import { askAgain, CATALOGUE, type SavedFile, undoing } from '../parts/saving.ts'

export default function NewProviderPage() {
  const setup = useAsk(['setup'], () => api.setup.get())
  const queries = useQueryClient()
  const [, go] = useLocation()
  function added(name: string, _model: string, saved: SavedFile | undefined): void {
    askAgain(queries)
    toast({
      text: `${name} added`,
      subject: CATALOGUE,
      ...(saved && undoing(queries, saved, () => go('/providers'))),
    })
    go(`/providers/${part(name)}`)
  }
  return (
    <Page
      title="New provider"
      lead="Choose a provider, test it, and save it to the catalogue file."
      width="form"
    >
      <Loaded query={setup}>{(state) => <AddProvider setup={state} is_new onDone={added} />}</Loaded>
    </Page>
  )
}
