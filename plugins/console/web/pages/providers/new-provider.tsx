// The page for a new provider: who it is, its key, a trial, and its place in the catalogue.
import { useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { api, part } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { toast } from '../../app/toasts.tsx'
import { Page } from '../../parts/page.tsx'
import { AddProvider } from '../../parts/providers/add-provider.tsx'
import { Loaded } from '../../parts/states.tsx'

const CHANGED = ['catalogue', 'providers', 'models', 'setup']

export default function NewProviderPage() {
  const setup = useAsk(['setup'], () => api.setup.get())
  const queries = useQueryClient()
  const [, go] = useLocation()
  function added(name: string): void {
    for (const subject of CHANGED) void queries.invalidateQueries({ queryKey: [subject] })
    toast({ text: `${name} added` })
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
